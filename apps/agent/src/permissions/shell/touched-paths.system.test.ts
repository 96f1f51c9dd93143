// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of the shell

import { expect, test } from "vitest";
import { parseLine } from "./parse-line.ts";
import { touchedPaths } from "./touched-paths.ts";

/** `read a` or `write a`, one for each path. */
const touched = (text: string) => touchedPaths(parseLine(text)).map(({ access, path }) => `${access} ${path}`);

test("of a path that is not known as a whole, only the part before counts", () => {
  for (const [text, path] of [
    ["cat src/a.ts", "src/a.ts"],
    ["cat src/$X/../../../etc/passwd", "src/"],
    ["cat /etc/${X}d", "/etc/"],
    ["cat ~/$X/b", "~/"],
  ] as const)
    expect([text, touchedPaths(parseLine(text)).map((one) => one.path)]).toEqual([text, [path]]);
});

test.each(
  (
    "cat head tail less more nl tac wc diff cmp stat file strings xxd od hexdump base64 sort uniq cut ls tree du find fd cd pushd " +
    "realpath readlink source . bat md5sum sha256sum node python3 python"
  ).split(" "),
)("%s reads a file that stands behind it, though its name has no slash", (program) => {
  expect(touched(`${program} secret`)).toEqual(["read secret"]);
});

test.each("rm rmdir mv cp touch mkdir tee ln chmod chown install truncate dd patch rsync shred split unzip".split(" "))(
  "%s changes it",
  (program) => {
    expect(touched(`${program} secret`)).toEqual(["write secret"]);
  },
);

test.each("grep egrep fgrep rg ag sed awk jq yq".split(" "))(
  "%s reads the files behind its pattern, which is none though it may look like a path",
  (program) => {
    expect(touched(`${program} /a/b secret`)).toEqual(["read secret"]);
    const takesScript = /grep|rg|sed|awk/.test(program);
    if (takesScript) expect(touched(`${program} -e /a/b secret`)).toEqual(["read secret"]);
  },
);

test.each("echo printf : true false export local declare readonly set unset expr".split(" "))(
  "the words of %s are texts",
  (program) => {
    expect(touched(`${program} /etc/passwd`)).toEqual([]);
  },
);

test.each([
  // Other programs: what looks like a path is one.
  ["npm test a", []],
  [
    "npm test ./a ../b /c ~/d e/f .. .",
    ["read a", "read ../b", "read /c", "read ~/d", "read e/f", "read ..", "read ."],
  ],
  ["git clone https://host/a", []],
  ["git clone git@host:a/b", []],
  ["./a.sh b", ["read a.sh"]],
  ["/usr/bin/cat a", ["read /usr/bin/cat", "read a"]],
  ["gawk /a/ b/c", ["read b/c"]],
  ["perl /a/ b/c", ["read b/c"]],
  // In place.
  ["sed -i s/a/b/ c", ["write c"]],
  ["sed -ni.bak s/a/b/ c", ["write c"]],
  ["sed --in-place s/a/b/ c", ["write c"]],
  ["perl -pi -e s/a/b/ c", ["write c"]],
  ["sed s/a/b/ c", ["read c"]],
  // Texts and values of options.
  ...["-m", "-c", "-p", "--message", "--body", "--title", "--grep", "-S", "-G", "--format", "--pretty", "--header"].map(
    (option) => [`git x ${option} a/b c/d`, ["read c/d"]] as const,
  ),
  ...["-H", "--data", "-d", "-t", "--testNamePattern", "--jq", "-q", "--eval", "--print"].map(
    (option) => [`gh x ${option} a/b c/d`, ["read c/d"]] as const,
  ),
  // Letters mean different things: a flag of one program takes a text in another.
  ...[
    "cat -e",
    "cat -t",
    "ls -d",
    "ls -t",
    "wc -c",
    "wc -m",
    "head -q",
    "tail -q",
    "base64 -d",
    "uniq -c",
    "diff -q",
  ].map((before) => [`${before} secret`, ["read secret"]] as const),
  ...["grep -c a", "grep -q a", "grep -H a", "rg -c a", "sort -c", "sort -m", "realpath -e", "stat -t", "less -S"].map(
    (before) => [`${before} secret`, ["read secret"]] as const,
  ),
  ...["mkdir -p", "cp -p", "rm -d", "touch -c", "touch -m", "tee -p", "rsync -t", "chmod -c", "cp -t", "unzip -d"].map(
    (before) => [`${before} secret`, ["write secret"]] as const,
  ),
  ...["cut -d /", "cut -c 1", "sort -t /", "sort -S 9", "head -c 9", "tail -c 9", "grep -m 1 a", "grep -d skip a"].map(
    (before) => [`${before} secret`, ["read secret"]] as const,
  ),
  ...[
    "egrep -m 1 a",
    "fgrep -m 1 a",
    "rg -t ts a",
    "rg -m 1 a",
    "ag -m 1 a",
    "ag -G a/b a",
    "sed -e a/b",
    "awk -e /a/",
  ].map((before) => [`${before} secret`, ["read secret"]] as const),
  ...["stat -c %n/", "node -e a/b", "node -p a/b", "python -c a/b", "python3 -c a/b", "od -t x1", "xxd -c 4"].map(
    (before) => [`${before} secret`, ["read secret"]] as const,
  ),
  ...["hexdump -e a/b", "strings -e l", "strings -t x", "du -d 1", "du -t 1", "less -p a/b", "file -e tar"].map(
    (before) => [`${before} secret`, ["read secret"]] as const,
  ),
  ...["fd -e ts", "fd -t f", "fd -d 1", "fd -S 1", "fd -c never"].map(
    (before) => [`${before} secret`, ["read secret"]] as const,
  ),
  ...["touch -d now", "touch -t 01010101", "mkdir -m 700", "install -m 700", "install -S ~", "rsync -e ssh"].map(
    (before) => [`${before} secret`, ["write secret"]] as const,
  ),
  ...["split -t /", "cp -S ~", "mv -S ~", "ln -S ~", "patch -p 1"].map(
    (before) => [`${before} secret`, ["write secret"]] as const,
  ),
  ["gawk -e a/b c/d", ["read c/d"]],
  ["perl -e a/b c/d", ["read c/d"]],
  ["grep --regexp a/b c", ["read c"]],
  ["grep --expression a/b c", ["read c"]],
  ["grep --file=./a b", ["read a", "read b"]],
  ["dd if=/a of=/b", ["write /a", "write /b"]],
  ["tar --file=../a", ["read ../a"]],
  ["npm test -a=b", []],
  ["cat -n --all ''", []],
  ["git commit 'fix a/b and c/d'", []],
  ["cat '/a b/c'", ["read /a b/c"]],
  ["cat '~/a b'", ["read ~/a b"]],
  ["cat '../a b'", ["read ../a b"]],
  // From the folder that the line went to.
  ["cd a; cat ../../b", ["read a", "read ../b"]],
  ["cd $X; cat b /c", ["read /c"]],
  ["echo a > b", ["write b"]],
  ["cd a; cat < b", ["read a/b", "read a"]],
  ["sudo cat a", ["read a"]],
  ["A=1", []],
  ["'a", []],
] as const)("%s", (text, paths) => {
  expect(touched(text)).toEqual(paths);
});
