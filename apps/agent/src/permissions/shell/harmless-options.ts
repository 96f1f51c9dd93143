import { withoutGitOptions } from "./command-forms.ts";
import { programOf, type ShellCommand } from "./shell-line.ts";

// Which options a star in a rule such as `Bash(git log *)` stands for. An option can do what the rule does not say: `git log --output=FILE`
// writes a file, and `go test -exec PROGRAM` runs a program. So the table lists options that run nothing and write nothing besides what the
// command does without them. All other options need a rule that names them, or a question.

const HISTORY =
  "-p -u -s -w -b -i -n -q -M -z --patch --no-patch --stat --numstat --shortstat --summary --name-only --name-status --oneline --graph --all " +
  "--branches --tags --remotes --decorate --no-decorate --color --no-color --cached --staged --follow --no-merges --merges --first-parent --reverse " +
  "--abbrev-commit --max-count --skip --since --after --until --before --author --committer --grep --date --format --pretty --unified -U " +
  "--word-diff --ignore-all-space --ignore-space-change --ignore-blank-lines --check --raw --quiet --diff-filter -S -G -L -N";

/** By the program, or by the program and its first word. `-N`: a number, such as `-5`. `any`: no option runs or writes anything. */
const HARMLESS: Readonly<Record<string, string>> = {
  "git status": "-s -b -v -u -z --short --branch --porcelain --long --verbose --ignored --untracked-files --show-stash",
  "git diff": HISTORY,
  "git log": HISTORY,
  "git show": HISTORY,
  "git shortlog": `${HISTORY} -e -c --email --numbered --summary`,
  "git reflog": HISTORY,
  "git blame": "-L -w -l -s -e -M --date --porcelain --show-email",
  "git grep":
    "-n -i -l -w -c -e -E -F -v -A -B -C -N --line-number --files-with-matches --count --ignore-case --heading --break",
  "git ls-files": "-c -d -m -o -s -t -z --cached --deleted --modified --others --exclude-standard --stage",
  "git rev-parse": "--short --abbrev-ref --show-toplevel --verify --is-inside-work-tree --git-dir --quiet -q",
  "git describe": "--tags --always --dirty --abbrev --long --all",
  "git branch":
    "-a -r -v --all --remotes --list --show-current --verbose --merged --no-merged --contains --sort --format",
  "git remote": "-v --verbose",
  "git tag": "-l -n --list --sort --contains --points-at",
  "git stash": "-u -q -m --include-untracked --quiet --message",
  "git add": "-A -u -v -n --all --update --verbose --dry-run",
  "git commit": "-m -a -q -v -s --message --all --amend --no-edit --quiet --verbose --signoff --allow-empty",
  "git switch": "-c -q --create --quiet --detach",
  "git checkout": "-b -q --quiet",
  "git restore": "-q --staged --worktree --quiet --source",
  "git fetch": "-q -v -p --all --prune --tags --quiet --verbose",
  "git pull": "-q -v --rebase --ff-only --quiet --verbose",
  "git push": "-q -v --tags --quiet --verbose --dry-run",
  npm: "-s --silent --watch --coverage --verbose --workspaces --if-present --bail --run --passWithNoTests --omit --depth --json",
  pnpm: "-s -r --silent --watch --coverage --verbose --recursive --if-present --bail --run --depth --json",
  yarn: "-s --silent --watch --coverage --verbose --bail --run --json",
  bun: "--silent --watch --coverage --bail --timeout",
  vitest: "-t --run --watch --coverage --bail --testNamePattern --project --no-coverage --silent --ui",
  jest: "-t -i --watch --coverage --bail --testNamePattern --runInBand --silent --verbose --ci --onlyChanged",
  pytest:
    "-v -q -x -k -s -m -l --lf --ff --sw --maxfail --tb --durations --verbose --quiet --last-failed --failed-first",
  tsc: "-p -w -b --noEmit --watch --project --pretty --strict --skipLibCheck --incremental",
  eslint: "--fix --quiet --ext --max-warnings --cache --no-color",
  prettier: "-c -l -w --check --write --list-different",
  biome: "--write --fix --error-on-warnings",
  ruff: "--fix --select --ignore --diff --check --watch",
  mypy: "--strict --pretty --no-error-summary",
  cargo:
    "-v -q -p --release --all --workspace --lib --bins --tests --examples --verbose --quiet --package --all-features --features --no-default-features --no-run --locked --offline --all-targets",
  "go test": "-v -run -race -count -short -timeout -cover -bench -benchmem -failfast -parallel",
  "go build": "-v -race",
  "go vet": "-v",
  make: "-s -n -k -j -B --silent --dry-run --keep-going --jobs",
  docker: "-a -q --all --quiet --no-trunc",
  kubectl: "-n -o -w -A -l --namespace --output --watch --all-namespaces --selector",
  gradle: "-q --quiet --info --stacktrace",
  mkdir: "-p -v --parents --verbose",
  cp: "-r -R -a -n -v -p -u --recursive --archive --verbose",
  mv: "-n -v --verbose",
  touch: "-c -a -m",
  rg: "-n -i -l -w -c -e -F -v -A -B -C -g -t -T -s -S -U -N -o -m -q -H -I -u --files --hidden --line-number --ignore-case --files-with-matches --glob --type --count --multiline --only-matching --max-count --context --no-ignore --sort --json --color --no-heading --word-regexp",
  sort: "-n -r -u -k -t -h -V -f -b -c --numeric-sort --reverse --unique --key --field-separator",
  find: "-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -newer -empty -not -o -a -and -or -print -print0 -prune -regex -perm -user -L -H -P",
  tree: "-L -a -d -f -i -I -P -N --dirsfirst --gitignore --noreport",
  ...Object.fromEntries(
    (
      "ls cat head tail wc nl cut tr stat du df grep egrep fgrep echo pwd true false id whoami uname which basename dirname realpath diff cmp paste " +
      "rev column seq"
    )
      .split(" ")
      .map((program) => [program, "any"]),
  ),
};

const EVERYWHERE: ReadonlySet<string> = new Set(["--", "-", "--help", "--version"]);

/** Returns the words of a command that are options and not known to be harmless; also `NAME=value` operands, which some programs take as settings. */
export function unknownOptions(command: Pick<ShellCommand, "words">): readonly string[] {
  const known = harmlessOptions(command);
  return command.words.slice(1).flatMap(({ text }) => (known === "any" || isHarmless(text, known) ? [] : [text]));
}

function harmlessOptions(command: Pick<ShellCommand, "words">): "any" | ReadonlySet<string> {
  const program = programOf(command) ?? "";
  const args = command.words.slice(1);
  const [action] = program === "git" ? withoutGitOptions(args) : args;
  const row = [`${program} ${action?.text ?? ""}`, program].find((name) => Object.hasOwn(HARMLESS, name));
  const options = row === undefined ? "" : HARMLESS[row]!;
  return options === "any" ? "any" : new Set(options.split(" "));
}

function isHarmless(text: string, known: ReadonlySet<string>): boolean {
  if (!text.startsWith("-")) return !isSetting(text);
  if (EVERYWHERE.has(text)) return true;
  const equals = text.indexOf("=");
  const name = equals === -1 ? text : text.slice(0, equals);
  if (known.has(name)) return true;
  if (text.startsWith("--")) return false;
  const letters = [...text.slice(1)];
  if (letters.every((letter) => letter >= "0" && letter <= "9")) return known.has("-N") || known.has("-n");
  // `-am` is `-a -m`, and `-j4` is `-j 4`: behind a letter that takes a value, digits may follow.
  const end = letters.findIndex((letter) => letter >= "0" && letter <= "9");
  const flags = end === -1 ? letters : letters.slice(0, end);
  const rest = end === -1 ? [] : letters.slice(end);
  const isNumber = rest.every((letter) => letter >= "0" && letter <= "9");
  return isNumber && flags.every((letter) => known.has(`-${letter}`));
}

/** `CC=./x`, as `make` takes it. */
function isSetting(text: string): boolean {
  const equals = text.indexOf("=");
  return equals > 0 && /^[A-Za-z_]\w{0,99}$/.test(text.slice(0, Math.min(equals, 100)));
}
