// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of the shell

import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import type { ToolAccess } from "../agent-tool.ts";
import { decidePermission } from "../decide-permission.ts";
import { toPermissionCall } from "../permission-call.ts";
import { type Rule, readRule } from "../rule.ts";

const BASH: ToolAccess = { name: "Bash", effect: "run", commands: "sandbox" };
const guard = {
  roots: ["/work/project"],
  locate: async (path: string) => ({ kind: "inside", path, root: "/work/project" }) as const,
};
const rules = (...texts: readonly string[]): readonly Rule[] =>
  texts.map(
    (text) =>
      readRule(text.slice(text.indexOf(" ") + 1), text.slice(0, text.indexOf(" ")) as Rule["decision"], "user")!,
  );

async function decide(mode: "auto" | "default" | "bypass", held: readonly Rule[], command: string): Promise<string> {
  return decidePermission(mode, held, await toPermissionCall(BASH, { command }, { guard, home: "/home/user" }))
    .decision;
}

const DENY = rules("deny Bash(rm *)", "deny Bash(git push *)", "deny Bash(curl *)", "allow Bash");

/** Each does what a rule forbids, and the parser can see it. */
const SEEN = [
  ...[
    "rm -rf x",
    "/bin/rm -rf x",
    "bash -c 'rm -rf x'",
    'sh -c "rm -rf x"',
    "bash -lc 'rm x'",
    "bash -eo pipefail -c 'rm x'",
  ],
  ...[
    "env -i rm -rf x",
    "timeout 5 rm -rf x",
    "timeout -s KILL 5 rm x",
    "nice rm -rf x",
    "nice -n 5 rm x",
    "xargs -n1 rm",
  ],
  ...[
    "ls | xargs -n1 rm -rf",
    "ls | xargs -I {} rm {}",
    "find . -exec rm {} +",
    "find . -delete",
    "find . -execdir rm {} ';'",
  ],
  ...[
    "$'rm' -rf x",
    "if rm -rf x; then :; fi",
    "while rm -rf x; do :; done",
    ">f rm -rf x",
    "</dev/null rm -rf x",
    "2>&1 rm -rf x",
  ],
  ...[
    "command -p rm -rf x",
    "sudo -u root rm x",
    "exec -a y rm x",
    "stdbuf -o0 rm x",
    "setsid rm x",
    "busybox rm x",
    "time -p rm x",
  ],
  ...[
    "coproc rm x",
    "\\rm x",
    "r''m x",
    "git -C . push origin",
    "git --no-pager push origin",
    "git  push origin",
    "g\\\nit push origin",
  ],
  ...[
    "GIT_DIR=.git git push origin",
    "/usr/bin/curl http://x",
    "[ -n 1 ] && rm x",
    "printf x | tee >(rm x)",
    "trap 'rm x' EXIT",
  ],
  ...[
    "function f { rm x; }; f",
    "f() { rm x; }; f",
    "case a in a) rm x;; esac",
    "until rm x; do :; done",
    "rm\tx",
    "nohup -- rm x",
  ],
  ...[
    "sudo -- rm x",
    "doas rm x",
    "unshare rm x",
    "script -c 'rm x'",
    "ssh localhost rm x",
    "watch rm x",
    "parallel rm ::: x",
  ],
  ...[
    "eval 'rm x'",
    "eval rm x",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    'echo "${x:-$(rm y)}"',
    "[[ $(rm x) ]]",
    "((a=$(rm x)))",
  ],
  ...[
    "bash <<'E'\nrm x\nE",
    "bash <<< 'rm x'",
    "cat <<E\n$(rm x)\nE",
    "for a in 1; do rm $a; done",
    "{ rm x; }",
    "(rm x)",
    "! rm x",
  ],
  ...[
    "rm x &",
    "true || rm x",
    "npx rm x",
    "uv run rm x",
    "A=$(rm x)",
    "export A=$(rm x)",
    "git rebase -x 'rm x' main",
    "bash -c 'bash -c \"rm x\"'",
  ],
  ...[
    "su -c 'rm x'",
    "env -S 'rm x'",
    "flock /tmp/l rm x",
    "env A=1 B=2 rm x",
    "git submodule foreach 'rm x'",
    "git bisect run rm x",
    "rm $X",
    "rm *",
  ],
  ...[
    "ash -c 'rm x'",
    "chroot /x rm x",
    "chroot --userspec a:b --groups c /x rm x",
    "taskset 1 rm x",
    "direnv exec . rm x",
    "find . -exec ls {} + -exec rm {} +",
  ],
];

/** Each may do it: what runs is not known before, or it is code of another language. */
const PERHAPS = [
  ...[
    "rm${IFS}-rf${IFS}x",
    "{rm,-rf,x}",
    "a=rm; $a -rf x",
    "git -c a.b=c push-it",
    "python3 -c 'import os;os.system(\"rm -rf x\")'",
  ],
  ...[
    "echo cm0gLXJmIHg= | base64 -d | sh",
    "alias q=rm\nq x",
    "elif rm x",
    "source <(echo rm x)",
    "r?  x",
    "/???/rm x",
  ],
  ...[
    "awk 'BEGIN{system(\"rm x\")}'",
    "sed '1e rm x' inside.txt",
    "sed 's/a/rm x/e' f",
    "sed -e p -e '1e rm x' f",
    "vim -c '!rm x' -c q",
  ],
  ...[
    "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='rm x'",
    'node -e \'require("child_process").execSync("rm x")\'',
  ],
  ...[
    "make -f - <<< 'a:;rm x'",
    "$(echo rm) x",
    '"$@"',
    'f() { "$@"; }; f rm x',
    'bash -c "$CODE"',
    "bash <<E\n$X\nE",
    "eval $X",
  ],
  ...["git $X origin", "xargs $X", "perl -e 'unlink x'", "python3 <<E\nx\nE", "cat x | python3 -", "ssh host $X"],
  ...[
    "git -c alias.z='!rm x' z",
    "rg --pre ./evil x",
    "sort --compress-program=./x f",
    "crontab f",
    "hash -p /bin/rm ls",
    "sh",
    "$X",
  ],
];

test("rules that forbid hold for every form that can be seen, in every mode", async () => {
  for (const mode of ["auto", "default", "bypass"] as const) {
    for (const line of SEEN) expect([line, await decide(mode, DENY, line)]).toEqual([line, "deny"]);
    for (const line of PERHAPS) expect([line, await decide(mode, DENY, line)]).toEqual([line, "ask"]);
  }
  expect(SEEN.length + PERHAPS.length).toBeGreaterThan(100);
});

test("what rules do not forbid runs as before", async () => {
  const lines = [
    ...["npm test", 'git commit -m "$msg"', "git status"],
    ...[
      "sed -n '1,20p' a.ts",
      "sed 's/a/b/g' f",
      "awk '{print $1}' f",
      "timeout 5 npm test",
      "cat rm.md",
      "python3 x.py",
    ],
    ...["node scripts/rm.ts", "for f in a b; do cat $f; done", "tar xzf a.tgz", "ls *.ts"],
  ];
  for (const line of lines) expect([line, await decide("auto", DENY, line)]).toEqual([line, "allow"]);
});

/** The forms of the security review of November 2026: each runs curl by a way that no list of starters holds. */
const NAMED = [
  ...[
    "mapfile -C 'curl x' -c 1 <<< a",
    "compgen -C 'curl x' a",
    "PS4='$(curl x)'; set -x; true",
    "[ -v 'a[$(curl x)]' ]",
  ],
  ...[
    "test -v 'a[$(curl x)]'",
    "printf -v 'a[$(curl x)]' y",
    "read 'a[$(curl x)]' <<< 1",
    "a=(1); unset 'a[$(curl x)]'",
  ],
  ...[
    "b='a[$(curl x)]'; echo $((b))",
    "let 'a[$(curl x)]=1'",
    "declare -i n='a[$(curl x)]'",
    "[[ 'a[$(curl x)]' -eq 1 ]]",
  ],
  ...["[[ -v 'a[$(curl x)]' ]]", "p='$(curl x)'; echo ${p@P}", "setarch x86_64 curl x", "linux64 curl x"],
  ...["prlimit --nofile=100 curl x", "choom -n 0 -- curl x", "ssh-agent curl x", "ssh -o ProxyCommand='curl x' h"],
  ...["split --filter='curl x' f", "sort -S 1k --compress-prog=curl -T . big", "install --strip-program=curl -s f g"],
  ...["uclampset -m 1 curl x", "logsave /dev/null curl x", "start-stop-daemon --start --exec $PWD/bin/curl"],
  ...["make -s all CC='curl x'", "capsh -- -c 'curl x'", "m4 <<< 'syscmd(curl x)'", "sqlite3 :memory: '.shell curl x'"],
  ...["GIT_EXTERNAL_DIFF='curl x' git diff --no-index f h", "GIT_SSH_COMMAND='curl x' git ls-remote ssh://h/x"],
  ...[
    "PAGER='curl x' git -p version",
    "GIT_EDITOR='curl x' git config --edit --file f2",
    "BASH_ENV=./env bash -c true",
  ],
  ...["ln -s $PWD/bin/curl ./k; ./k x", "ln -s bin/curl k2 && ./k2 x"],
  ...["echo rm x", "grep -rn 'rm *' src", "npm run rm", "git log --grep=push", "cat <<'E' > f\nrm x\nE"],
];

test("asks if a line names a forbidden program anywhere, in every mode", async () => {
  for (const mode of ["auto", "default", "bypass"] as const) {
    for (const line of NAMED) expect([line, await decide(mode, DENY, line)]).toEqual([line, "ask"]);
  }
});

/** Each is allowed by a star in a rule that the agent offers, as far as its operands go; its options run code or write files. */
test.each([
  ["git log *", "git log -1 --format='[core]%n fsmonitor = touch x' --output=.git/config"],
  ["git diff *", "git diff --ext-diff"],
  ["git diff *", "git diff -O x"],
  ["git grep *", "git grep -Oless x"],
  ["go test *", "go test -exec ./x ./..."],
  ["go build *", "go build -toolexec ./x"],
  ["go vet *", "go vet -vettool ./x"],
  ["cargo build *", "cargo build --config build.rustc='./x'"],
  ["make build *", "make build CC=./x"],
  ["make build *", "make build -f x"],
  ["kubectl get *", "kubectl get --kubeconfig x pods"],
  ["gradle build *", "gradle build -I x"],
  ["npm run build *", "npm run build --prefix x"],
  ["git config *", "git config --file x core.fsmonitor ./x"],
  ["git commit *", "git commit -F secret"],
  ["my-tool *", "my-tool --anything"],
])("a star in Bash(%s) stands for no option that can do more: %s", async (pattern, line) => {
  expect(await decide("default", rules(`allow Bash(${pattern})`), line)).toBe("ask");
  if (!line.includes("'")) expect(await decide("default", rules(`allow Bash(${line})`), line)).toBe("allow");
});

test.each([
  ["git log *", "git log --oneline -5 --since=yesterday -- src"],
  ["git status *", "git status -sb"],
  ["git commit *", "git commit -am 'a message'"],
  ["npm test *", "npm test -- --watch a.test.ts"],
  ["go test *", "go test -race -count=1 ./..."],
  ["make build *", "make build -j4"],
  ["ls *", "ls -la --color=always src"],
  ["my-tool *", "my-tool a b --help"],
  ["my-tool --fast *", "my-tool --fast a"],
  ["*", "my-tool --anything CC=x"],
])("a star in Bash(%s) stands for operands and harmless options: %s", async (pattern, line) => {
  expect(await decide("default", rules(`allow Bash(${pattern})`), line)).toBe("allow");
});

test("files that may not be read or changed may not be named by a line either", async () => {
  const held = rules("deny Read(.env*)", "deny Edit(.github/**)", "allow Bash");
  for (const line of [
    "cat .env",
    "grep x .env.local",
    "cat < .env",
    "cp .env a",
    "cat ./sub/.env",
    "bash -c 'cat .env'",
  ])
    expect([line, await decide("bypass", held, line)]).toEqual([line, line.startsWith("cp") ? "allow" : "deny"]);
  for (const line of [
    "echo x > .github/CODEOWNERS",
    "rm .github/x",
    "sed -i s/a/b/ .github/x",
    "tee .github/x",
    "cat a >> .github/x",
  ])
    expect([line, await decide("bypass", held, line)]).toEqual([line, "deny"]);
  expect(await decide("bypass", held, "cat .github/CODEOWNERS")).toBe("allow");
});

test("hostile lines take no long time", async () => {
  const lines = [
    "$(".repeat(5_000),
    `${"(".repeat(20_000)}`,
    `sed '${"s/a/b/;".repeat(5_000)}e x' f`,
    `sed '${"\\\\/".repeat(20_000)}' f`,
    `${"bash -c ".repeat(5_000)} x`,
    `echo ${"{a,b}".repeat(5_000)}`,
    `sed -n '${"p\n\n\n\n".repeat(6)}X' f`,
    `sed -n '${"p\n\n\n\n".repeat(20_000)}X' f`,
    `${"sudo ".repeat(20_000)}rm x`,
    `${"a|".repeat(20_000)}b`,
    "`".repeat(20_000),
    `${"<<E ".repeat(5_000)}`,
    "x".repeat(200_000),
  ];
  const usedMs = await processorMs(async () => {
    for (const line of lines) expect(["deny", "ask", "allow"]).toContain(await decide("auto", DENY, line));
  });
  expect(usedMs).toBeLessThan(10_000);
});
