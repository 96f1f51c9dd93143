// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of the shell

import { expect, test } from "vitest";
import { decideLine } from "../../testing/decide-line.ts";
import { findStarted } from "./find-started.ts";
import { parseLine } from "./parse-line.ts";

const DENY = ["deny Bash(rm *)", "allow Bash"];

test("each program that find starts ends where its words end, by a semicolon or a plus", () => {
  const line = parseLine("find . -exec ls -l {} + -exec cat a ';' -print");
  if (line.kind !== "parsed") throw new Error(line.kind);
  const [find] = line.commands;
  // What find puts in is not known.
  expect(find!.starts.map(({ words }) => words.map(({ text }) => text))).toEqual([
    ["ls", "-l", "...", "..."],
    ["cat", "a", "..."],
  ]);
  expect(findStarted([], undefined)).toEqual({ commands: [], codes: [], effect: "other" });
});

test.each([
  ...["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"].flatMap((shell) => [
    `${shell} -c 'rm x'`,
    `/bin/${shell} -ec 'rm x'`,
  ]),
  ...[
    "bash +o posix -c 'rm x'",
    "bash -O extglob -c 'rm x'",
    "bash --rcfile a -c 'rm x'",
    "bash --init-file a -c 'rm x'",
  ],
  ...["bash -c -e 'rm x'", "bash -s <<< 'rm x'", "bash - <<< 'rm x'", "bash /dev/stdin <<< 'rm x'"],
  ...["bash <<'E'\nls\nrm x\nE", "bash -c 'ls && (cd a; rm x)'", "bash -c \"bash -c 'rm x'\""],
  ...["eval 'rm x'", "eval ls '; rm x'", "trap 'rm x' EXIT", "trap 'rm x' INT TERM"],
  ...["script -c 'rm x'", "script -qc 'rm x' log", "script --command='rm x'", "script -q --command 'rm x' log"],
  ...["su -c 'rm x'", "su - root -c 'rm x'", "su -c'rm x'", "su -lc 'rm x' root", "runuser root -c 'rm x'"],
  ...["su --comm='rm x'", "su --comm 'rm x'", "sg a 'rm x'", "sg a -c 'rm x'", "sg - a -c 'rm x'"],
  ...["flock lock -c 'rm x'", "mise exec node -c 'rm x'", "npx -c 'rm x'", "npx --call='rm x'", "npm exec -c 'rm x'"],
  ...["npm x --call 'rm x'", "npm --prefix sub exec -c 'rm x'", "watch rm x", "watch -n 5 rm x"],
  ...["watch --interval 5 rm x", "watch -q 3 rm x", "watch --equexit 3 rm x", "watch 'ls; rm x'"],
  ...[..."BbcDEeFIiJLlmOoPpQRSWw"].map((letter) => `ssh -${letter} a host rm x`),
  ...["ssh -t host 'ls; rm x'", "git rebase -x 'rm x' main", "git rebase --exec 'rm x'", "git rebase --exec='rm x'"],
  ...["git rebase -x ls -x 'rm x'", "git -C sub rebase -i -x 'rm x'", "git submodule foreach 'rm x'"],
  ...["git submodule foreach --recursive rm x", "git bisect run rm x", "git bisect run sh -c 'rm x'"],
  ...["-exec", "-execdir", "-ok", "-okdir"].map((option) => `find . ${option} rm {} ';'`),
  ...["-x", "-X", "--exec", "--exec-batch"].flatMap((option) => [`fd a ${option} rm`, `fdfind a ${option} rm`]),
  ...[
    "find . -name a -delete",
    "find . -exec sh -c 'rm x' ';'",
    "xargs -I % sh -c 'rm %'",
    'bash -c "rm $X"',
    "parallel 'rm {}' ::: a",
  ],
])("what is forbidden is found in: %s", async (line) => {
  expect(await decideLine(line, DENY, "bypass")).toBe("deny");
});

test.each([
  ...["bash", "bash -s", "bash -", "bash /dev/stdin", "bash /proc/self/fd/0", "curl a | bash", "bash < file"],
  ...['bash -c "$X"', "bash $X", "bash <<E\n$X\nE", "bash <<< $X", "fish -C 'rm x'", "fish --command='rm x'"],
  ...["eval $X", 'trap "$X" EXIT', 'su -c "$X"', "watch $X", "ssh host $X", 'git rebase -x "$X"', "$X", "${X}y"],
  ...["git bisect run $X", 'git submodule foreach "$X"', "nice $X", "xargs $X", "timeout -s $X 5 ls"],
  ...["env -S 'ls x'", "env -S'rm x'", "env -vS 'ls x'", "env --split-string='rm x'"],
  ...["xargs -I % sh -c %", "xargs -I% % x", "xargs -i% % x", "xargs --replace=% % x", "xargs -i {} x"],
  ...["parallel 'ls; rm {}' ::: a", "parallel ::: 'rm x'", "parallel < file", "parallel {1} x ::: rm"],
  ...["xargs sh", "xargs sh -c", "find . -exec {} ';'", "find . -exec sh -c {} ';'"],
])("somebody has to look at: %s", async (line) => {
  expect(await decideLine(line, DENY, "bypass")).toBe("ask");
});

test.each([
  ...["bash --version", "bash --help", "bash script.sh rm x", "bash -e script.sh", "bash -o pipefail script.sh"],
  ...[
    "trap - EXIT",
    "trap 'rm x'",
    "trap",
    "su",
    "ssh host",
    "git rebase main",
    "git submodule update",
    "git bisect start",
  ],
  ...[
    "git submodule status rm x",
    "git bisect good rm",
    "find . -name rm",
    "fd rm",
    "find . -exec",
    "watch",
    "npm run x",
  ],
  ...["npm install exec rm", "pnpm run exec rm x", "sudo -S ls", "xargs ls", "xargs -I % ls %", "parallel ls ::: a"],
  ...[
    "flock lock ls rm x",
    "script log",
    "cat -c 'rm x'",
    "my-tool -c 'rm x'",
    "hg rebase -x 'rm x'",
    "hg bisect run 'rm x'",
    "timeout 5",
    "env A=1",
    "env",
  ],
])("finds no forbidden command in %s, and asks if the line names one", async (line) => {
  expect(await decideLine(line, DENY, "bypass")).toBe(/(?<![\w.+-])rm(?![\w.+-])/.test(line) ? "ask" : "allow");
});

test("a shell and eval do what their text does; others that run a text do more", async () => {
  const rules = ["allow Bash(npm test)", "allow Bash(npm run *)"];
  for (const line of ["bash -c 'npm test'", "eval npm test", "sh -ec 'npm run a; npm test'", "bash <<< 'npm test'"])
    expect([line, await decideLine(line, rules)]).toEqual([line, "allow"]);
  for (const line of [
    "su -c 'npm test'",
    "watch npm test",
    "ssh host npm test",
    "find . -exec npm test ';'",
    "bash x.sh",
  ])
    expect([line, await decideLine(line, rules)]).toEqual([line, "ask"]);
  expect(await decideLine("env A=1 npm test", rules)).toBe("ask");
  expect(await decideLine("bash -c 'npm test; ls'", rules)).toBe("ask");
});
