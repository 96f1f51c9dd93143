// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of the shell

import { expect, test } from "vitest";
import { decideLine } from "../../testing/decide-line.ts";

const DENY = ["deny Bash(rm *)", "allow Bash"];

/** Each runs code, or a program, that stands in its words: by what the manuals say of the options. */
const CODE = [
  ...["git -c core.pager=./x log", "git --exec-path=. status", "git --config-env=core.pager=X log"],
  ...[
    "git fetch --upload-pack=./x",
    "git push --receive-pack ./x",
    "git push --exec=./x",
    "git fetch --upl ./x",
    "git clone -u ./x a",
    "git clone -u./x a",
    "git clone --upload=./x a",
    "git clone -c core.sshCommand=./x a",
    "git clone --config core.sshCommand=./x a",
    "git -C sub -c core.pager=./x log",
    "git grep --open-files-in-pager=./x a",
    "git grep -O a",
  ],
  ...[
    "git diff --ext-diff",
    "git difftool -x ./x",
    "git difftool --extcmd=./x",
    "git filter-branch --tree-filter 'ls'",
  ],
  ...["awk 'BEGIN { system(\"ls\") }'", "gawk '{ \"ls\" | getline }'", "mawk '{ print | \"sh\" }'", "nawk -f x.awk"],
  ...["awk --file x.awk", "gawk '@load \"x\"'"],
  ...["python -c 'x'", "python3 -Ic 'x'", "python3.12 -c 'x'", "pypy3 -c 'x' a.py"],
  ...["-e", "-p", "-pe", "--eval", "--print", "--import", "--require", "-r"].map((option) => `node ${option} x a.js`),
  ...["node --eval=x a.js", "node22 -e x a.js", "nodejs -e x a.js"],
  ...["-e", "-p", "--eval", "--print"].map((option) => `bun ${option} x a.js`),
  ...["deno eval x", "perl -e x a", "perl -ne x a", "perl -E x a", "perl -Mx a", "perl -mx a", "perl5.36 -e x a"],
  ...["ruby -e x a", "ruby -ne x a", "ruby -rx a", "ruby3.2 -e x a"],
  ...["-r", "-B", "-R", "-E", "-f"].map((option) => `php ${option} x a`),
  ...["php8.3 -r x a", "lua -e x a", "lua5.4 -e x a", "luajit -e x a", "osascript -e x a", "Rscript -e x a"],
  ...["-c", "--cmd", "-S", "-s", "-es", "-u", "+x", "+"].map((option) => `vim ${option} x`),
  ...["vi -c x", "nvim -c x", "view -c x", "ex -c x", "emacs -eval x", "emacs --eval x", "emacs -f x", "emacs -l x"],
  ...["emacs --batch x", "emacs --script x", "ed x", "gdb x", "expect x"],
  ...["tar cf a b --checkpoint-action=exec=./x", "tar xf a --to-command=./x", "tar xf a --use-compress-program ./x"],
  ...["tar cf h:a b --rsh-command=./x", "tar cf a b --info-script=./x", "tar cf a b --new-volume-script=./x"],
  ...["tar xf a -I ./x", "tar cf a b -F ./x", "bsdtar xf a --use-compress-program ./x", "gtar xf a -I ./x"],
  ...["make -f- x", "make --eval x", "make -E x", "make SHELL=./x", "gmake --eval x"],
  ...["rsync -e ./x a b", "rsync --rsh=./x a b", "rsync --rsync-path=./x a b", "rsync -ave ./x a b"],
  ...["scp -S ./x a b", "scp -oProxyCommand=./x a b", "sort --compress-program=./x a", "rg --pre ./x a"],
  ...[
    "rg --pre=./x a",
    "rg --hostname-bin=./x a",
    "man -P ./x a",
    "man --pager=./x a",
    "man --html=./x a",
    "man -H./x a",
  ],
  ...["zip a b -T -TT ./x", "tcpdump -z ./x", "crontab a", "at noon", "batch a", "alias a=b", "hash -p /bin/a b"],
  ...["enable -f ./a.so a", "npm --script-shell=./x test", "npm test --node-options=x"],
  ...["docker run a", "docker exec a b", "docker compose up", "podman run a"],
  ...["tmux new -d 'ls'", "tmux new-session ls", "tmux neww ls", "tmux split-window ls", "tmux send-keys ls Enter"],
  ...["tmux run-shell ls", "tmux if-shell true a", "tmux -f x", "tmux -c ls", "tmux respawn-pane ls", "byobu new ls"],
  ...["screen -dm ls", "screen ls", "screen -S a -X stuff ls", "dtach -n socket ls", "abduco -n a ls"],
  ...[
    "sed -f x a",
    "sed --file=x a",
    "sed '1e ls' a",
    "sed 's/a/b/e' a",
    "sed 'w x' a",
    "sed 's/a/b/w x' a",
    "sed -n -e p -e e a",
  ],
  ...[
    "sed -e'1e ls' d",
    "sed -ne '1e ls' -e p a",
    "sed --expression='1e ls' p",
    "sed -n -e p -e'1e ls' a",
    "sed --expression e a",
    "sed '$!{e' a",
    "sed --expression=e a",
    "sed -ee a",
    "sed 'p d' a",
    "sed '1,p' a",
    "sed 's/a/b' a",
    "sed '/a' a",
    "sed 's/a\\' a",
    "sed -ne e a",
  ],
];

/** Each runs what is not in its words. */
const ELSEWHERE = [
  ...["python", "python3", "node", "perl", "ruby", "php", "lua", "osascript", "deno", "bun", "tclsh"].flatMap(
    (program) => [program, `${program} -`, `${program} /dev/stdin`, `${program} -q`],
  ),
  ...["make -f - x", "make -f /dev/stdin", "make <<< 'a:'", "source $X", ". $X", "source", "source <(ls)"],
];

/** The same programs, when they run a file of the project or nothing at all. */
const PLAIN = [
  ...["git switch -c a", "git commit -c HEAD", "git grep -c a", "git push -u origin a", "git add -u", "git clone a b"],
  ...["tmux ls", "tmux list-windows", "tmux capture-pane -p", "tmux kill-session -t a", "screen -ls", "screen -list"],
  ...["git status", "git log --oneline", "git diff HEAD~1", "awk '{ print $1 }' a", "gawk -F, '{ print }' a"],
  ...[
    "python3 a.py",
    "python3 -m pytest",
    "node a.js",
    "node --test",
    "node --check a.js",
    "bun test",
    "deno run a.ts",
  ],
  ...["perl a.pl", "ruby a.rb", "php a.php", "lua a.lua", "osascript a.scpt", "Rscript a.R", "vim a", "emacs a"],
  ...[
    "tar xzf a.tgz",
    "make",
    "make test",
    "gmake -j4 all",
    "rsync -a a b",
    "scp a b",
    "sort -u a",
    "rg -n a",
    "man ls",
  ],
  ...[
    "zip -r a b",
    "tcpdump -i lo",
    "alias",
    "hash",
    "enable",
    "npm test",
    "docker ps",
    "podman ps",
    "source a.sh",
    ". ./a.sh",
  ],
  ...["-V", "-v", "--version", "-h", "--help"].flatMap((option) => [`python3 ${option}`, `node ${option}`]),
  ...[
    "sed -n '1,20p' a",
    "sed 's/a/b/g' a",
    "sed -e 1d -e '$p' a",
    "sed '/a/,/b/d' a",
    "sed 's|a|b|;s#c#d#2' a",
    "sed -i '3d' a",
  ],
  ...["sed -n '1,+3p;$p' a", "sed 'p; ' a", "sed ' 1 , $ ! d' a", "sed $'p\\n\\nd' a"],
  ...["sed -n '/a/!p' a", "sed '2q;d' a", "sed -E 's/(a)\\/b/\\1/gi' a"],
];

test.each([...CODE, ...ELSEWHERE])(
  "what it runs cannot be seen, so somebody looks where something is forbidden: %s",
  async (line) => {
    expect(await decideLine(line, DENY, "bypass")).toBe("ask");
  },
);

test.each(PLAIN)("nothing is hidden in: %s", async (line) => {
  expect(await decideLine(line, DENY, "bypass")).toBe("allow");
});

test("code in the words may be allowed word by word, and by no star; what is read from elsewhere is never allowed", async () => {
  const line = "python3 -c 'print(1)'";
  expect(await decideLine(line, [`allow Bash(${line})`])).toBe("allow");
  expect(await decideLine(line, ["allow Bash(python3 *)"])).toBe("ask");
  for (const read of ["python3 -", "make -f -", "source $X"]) {
    expect([read, await decideLine(read, [`allow Bash(${read})`, "allow Bash(*)"])]).toEqual([read, "ask"]);
  }
});
