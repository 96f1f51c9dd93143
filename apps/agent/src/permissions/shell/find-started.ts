import { isShortFor, operands, withoutGitOptions } from "./command-forms.ts";
import { findUnseen } from "./find-unseen.ts";
import { programOf, type ShellCommand, type ShellWord, type Unseen } from "./shell-line.ts";

/** A program that starts the command which stands behind its options. */
interface Starter {
  /** Options that are followed by a word of their own. */
  readonly valued: readonly string[];
  /** Options that are followed by two. @default none */
  readonly paired?: readonly string[];
  /** Words before the command that are no options. @default 0 */
  readonly skip?: number;
  readonly effect: ShellCommand["effect"];
  /** `words`: it hands on words that it reads. @default none */
  readonly adds?: "words";
  /** `mark`: words of its own end with "--". @default they end with its options */
  readonly ends?: "mark";
}

const same = (valued: string, skip = 0): Starter => ({ valued: valued.split(" "), skip, effect: "same" });
const other = (valued: string, skip = 0): Starter => ({ valued: valued.split(" "), skip, effect: "other" });

/** By the program, or by the program and its first word. */
const STARTERS: ReadonlyMap<string, Starter> = new Map([
  ["timeout", same("-k --kill-after -s --signal", 1)],
  ["nice", same("-n --adjustment")],
  ["ionice", same("-c -n --class --classdata")],
  ["nohup", same("")],
  ["setsid", same("")],
  ["stdbuf", same("-i -o -e --input --output --error")],
  ["time", same("-o -f --output --format")],
  ["command", same("")],
  ["builtin", same("")],
  ["exec", same("-a")],
  ["env", same("-u --unset -C --chdir")],
  ["caffeinate", same("-t -w")],
  [
    "sudo",
    other(
      "-u -g -h -p -C -r -t -U -T -D -R --user --group --host --prompt --chdir --chroot --close-from --role --type --other-user --command-timeout",
    ),
  ],
  ["doas", other("-u -C")],
  ["pkexec", other("-u --user")],
  ["runuser", other("-u --user -g --group -G --supp-group -w --whitelist-environment")],
  ["setpriv", other("--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set")],
  ["unshare", other("--map-user --map-group --propagation -S --setuid -G --setgid -R --root -w --wd")],
  ["nsenter", other("-t --target -S --setuid -G --setgid")],
  ["chroot", other("--userspec --groups", 1)],
  ["busybox", other("")],
  ["toybox", other("")],
  ["flock", other("-w --wait --timeout -E --conflict-exit-code", 1)],
  ["script", other("-E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -m -o --output-limit", 1)],
  ["strace", other("-e -o -p -s -u -P -a -S")],
  ["ltrace", other("-e -o -p -s -u")],
  ["taskset", other("", 1)],
  ["chrt", other("-T -P -D", 1)],
  ["numactl", other("-i --interleave -p --preferred -m --membind -N --cpunodebind -C --physcpubind")],
  ["fakeroot", other("-l --lib --faked -s -i -b")],
  [
    "systemd-run",
    other(
      "-p --property -u --unit -M --machine -H --host --uid --gid -E --setenv --working-directory --slice --description",
    ),
  ],
  ["xvfb-run", other("-s --server-args -n --server-num -e --error-file -f --auth-file -w --wait -p --xauth-protocol")],
  ["dbus-run-session", other("")],
  ["firejail", other("")],
  [
    "bwrap",
    {
      ...other(
        "--unsetenv --dev --proc --tmpfs --mqueue --dir --remount-ro --chdir --uid --gid --hostname --perms --size --args --argv0 --seccomp --cap-add --cap-drop",
      ),
      paired:
        "--bind --ro-bind --dev-bind --bind-try --ro-bind-try --dev-bind-try --symlink --file --bind-data --ro-bind-data --setenv --chmod".split(
          " ",
        ),
    },
  ],
  ["npx", other("-p --package")],
  ["bunx", other("-p --package")],
  ["npm exec", other("-p --package")],
  ["npm x", other("-p --package")],
  ["bun x", other("-p --package")],
  ["pnpm exec", other("")],
  ["pnpm dlx", other("")],
  ["yarn exec", other("")],
  ["yarn dlx", other("-p")],
  ["uv run", other("--with --python -p --extra --group --project --directory --env-file")],
  ["uvx", other("--from --with --python -p")],
  ["pipx run", other("--spec")],
  ["poetry run", other("-C --directory -P --project")],
  ["pipenv run", other("")],
  ["bundle exec", other("")],
  ["mise exec", { ...other(""), ends: "mark" }],
  ["mise x", { ...other(""), ends: "mark" }],
  ["direnv exec", other("", 1)],
  [
    "xargs",
    {
      valued: "-I -n -P -L -d -a -s -E --arg-file --max-args --max-procs --max-chars --delimiter".split(" "),
      effect: "other",
      adds: "words",
    },
  ],
  [
    "parallel",
    {
      valued:
        "-j --jobs -n -N -a --arg-file --colsep -I --delay --timeout --joblog --results -S --sshlogin --wd --workdir".split(
          " ",
        ),
      effect: "other",
      adds: "words",
    },
  ],
]);

interface Started {
  readonly commands: readonly Pick<ShellCommand, "words" | "assignments">[];
  /** Texts that a shell runs. */
  readonly codes: readonly string[];
  readonly effect: ShellCommand["effect"];
  readonly unseen?: Unseen;
}

const NOTHING: Started = { commands: [], codes: [], effect: "other" };
const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"]);
const SSH_OPTIONS = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w".split(" ");
/** Stands for words that are read from elsewhere. */
const READ_WORD: ShellWord = { text: "...", lead: "", state: "unknown" };

/** What a command starts, as far as its words say it. */
export function findStarted(words: readonly ShellWord[], input: string | undefined): Started {
  const [name, ...args] = words;
  if (name === undefined) return NOTHING;
  const program = programOf({ words });
  if (program === undefined)
    return { ...NOTHING, unseen: elsewhere(`which program ${name.text} is, is not known before it runs`) };
  if (SHELLS.has(program)) return shell(program, args, input);
  if (program === "find" || program === "fd" || program === "fdfind") return finder(args);
  const code = codeOf(program, args);
  if (code !== undefined) return toCode(program, code);
  const at = actionAt(program, args);
  const starter = STARTERS.get(program) ?? STARTERS.get(`${program} ${args[at]?.text ?? ""}`);
  const unseen = findUnseen(program, args, input);
  const seen = unseen === undefined ? {} : { unseen };
  if (starter === undefined) return { ...NOTHING, ...seen };
  return { ...behind(program, STARTERS.has(program) ? args : args.slice(at + 1), starter), ...seen };
}

/** Where `exec` stands in `pnpm exec`, and in `pnpm -C folder exec`. */
function actionAt(program: string, args: readonly ShellWord[]): number {
  if (args[0]?.text.startsWith("-") !== true) return 0;
  return args.findIndex(({ text }) => STARTERS.has(`${program} ${text}`));
}

/** `bash -c TEXT`, `bash FILE`, or `bash` that reads its input. */
function shell(program: string, args: readonly ShellWord[], input: string | undefined): Started {
  let at = 0;
  for (; /^[-+]./.test(args[at]?.text ?? ""); at++) {
    // `-eo pipefail`, `--rcfile FILE`: the option takes a word.
    if (/^[-+][a-zA-Z]*[oO]$|^--(rcfile|init-file)$/.test(args[at]!.text)) at++;
  }
  const options = args.slice(0, at);
  const has = (option: RegExp): boolean => options.some(({ text }) => option.test(text));
  if (has(/^--(version|help)$/)) return NOTHING;
  if (program === "fish" && has(/^(-C|--command|--init-command)/)) {
    return { ...NOTHING, unseen: elsewhere("fish runs code that is written in the line") };
  }
  if (has(/^-[a-zA-Z]*c/)) return toCode(program, args.slice(at, at + 1));
  const script = args[at];
  if (has(/^-[a-zA-Z]*s/) || script === undefined || /^(-$|\/dev\/|\/proc\/)/.test(script.text)) {
    return fromInput(program, input);
  }
  return script.state === "known"
    ? NOTHING
    : { ...NOTHING, unseen: elsewhere(`which script ${program} runs is not known`) };
}

function fromInput(program: string, input: string | undefined): Started {
  if (input === undefined) return { ...NOTHING, unseen: elsewhere(`${program} runs what it reads`) };
  return { ...NOTHING, codes: [input], effect: "same" };
}

/** The words that a program runs as a line of the shell; undefined: it does no such thing. */
function codeOf(program: string, args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (program === "eval") return args;
  if (program === "trap") return args.length > 1 && args[0]?.text !== "-" ? args.slice(0, 1) : [];
  if (["script", "su", "runuser", "flock", "mise"].includes(program)) return valuesOf(args, "c", "--command");
  if (program === "npx" || (program === "npm" && /^(exec|x)$/.test(args[actionAt(program, args)]?.text ?? "")))
    return valuesOf(args, "c", "--call");
  // `sg GROUP TEXT`, `sg - GROUP -c TEXT`
  if (program === "sg")
    return operands(args, [])
      .slice(1)
      .filter(({ text }) => text !== "-c");
  if (program === "watch") return operands(args, ["-n", "--interval", "-q", "--equexit"]);
  if (program === "ssh") return operands(args, SSH_OPTIONS).slice(1);
  if (program !== "git") return undefined;
  const [command, ...rest] = withoutGitOptions(args);
  if (command?.text === "rebase") return valuesOf(rest, "x", "--exec");
  if (command?.text === "submodule" && rest[0]?.text === "foreach") return operands(rest.slice(1), []);
  return command?.text === "bisect" && rest[0]?.text === "run" ? rest.slice(1) : undefined;
}

/** What stands behind an option, wherever it is given: `-c TEXT`, `-qc TEXT`, `-cTEXT`, `--command TEXT`, `--command=TEXT`. */
function valuesOf(args: readonly ShellWord[], letter: string, long: string): readonly ShellWord[] | undefined {
  const found = args.flatMap((arg, at): readonly ShellWord[] => {
    const { text, lead } = arg;
    if (isShortFor(text, long) || (/^-[a-zA-Z]+$/.test(text) && text.endsWith(letter)))
      return args.slice(at + 1, at + 2);
    const name = /^--[\w-]+(?==)/.exec(text)?.[0] ?? "";
    const before = isShortFor(name, long) ? `${name}=` : `-${letter}`;
    if (!text.startsWith(before)) return [];
    return [{ ...arg, text: text.slice(before.length), lead: lead.slice(before.length) }];
  });
  return found.length === 0 ? undefined : found.flatMap((value) => [value, word("\n")]);
}

function toCode(program: string, code: readonly ShellWord[]): Started {
  const codes = code.length === 0 ? [] : [code.map(({ text }) => text).join(" ")];
  // What is known of it may be forbidden: `bash -c "rm $X"`.
  if (code.some(({ state }) => state === "unknown")) {
    return { ...NOTHING, codes, unseen: elsewhere(`what ${program} runs is not known before it runs`) };
  }
  return { ...NOTHING, codes, effect: SHELLS.has(program) || program === "eval" ? "same" : "other" };
}

/** `find -exec PROGRAM ... ;`, and `-delete`, which does what rm does. */
function finder(args: readonly ShellWord[]): Started {
  const commands = args.flatMap(({ text }, at) => {
    if (text === "-delete") return [{ words: [word("rm"), READ_WORD], assignments: [] }];
    if (!/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text)) return [];
    const rest = args.slice(at + 1);
    const end = rest.findIndex((one) => one.text === ";" || one.text === "+");
    const words = (end === -1 ? rest : rest.slice(0, end)).map((one) => (one.text.includes("{}") ? READ_WORD : one));
    return words.length === 0 ? [] : [{ words: [...words, READ_WORD], assignments: [] }];
  });
  return { ...NOTHING, commands };
}

/** The command behind the options of a program that runs it. */
function behind(program: string, args: readonly ShellWord[], starter: Starter): Started {
  const { valued, paired, skip = 0, effect, adds, ends } = starter;
  const mark = ends === "mark" ? args.findIndex(({ text }) => text === "--") : -1;
  const rest = operands(mark === -1 ? args : args.slice(mark), valued, paired);
  const assignments =
    program === "env" || program === "sudo" ? rest.slice(0, rest.findIndex(isNoAssignment) >>> 0) : [];
  const own = rest.slice(Math.max(assignments.length, skip));
  const options = args.slice(0, args.length - rest.length);
  const unknown = options.find(({ state, text }) => state === "unknown" || isSplit(program, text));
  const end = adds === "words" ? own.findIndex(({ text }) => /^:::/.test(text)) : -1;
  const words = end === -1 ? own : own.slice(0, end);
  // It hands its words to a shell, and without any it runs those that it reads.
  const isLine = program === "parallel" && (words.length === 0 || words.some(({ text }) => /[;&|`$()<>\n]/.test(text)));
  const given = adds === undefined ? words : [...words.map(replacing(options)), READ_WORD];
  return {
    commands: words.length === 0 ? [] : [{ words: given, assignments }],
    codes: [],
    effect,
    ...(unknown === undefined && !isLine
      ? {}
      : { unseen: elsewhere(`what ${program} runs is not known before it runs`) }),
  };
}

/** `env -S "PROGRAM WORDS"`: the words are made of a text. */
function isSplit(program: string, option: string): boolean {
  return program === "env" && /^(-[a-zA-Z]*S|--split-string)/.test(option);
}

/** Of `xargs -I % ...`: what is put in for `%` is not known, nor what becomes of a word that holds it. */
function replacing(options: readonly ShellWord[]): (one: ShellWord) => ShellWord {
  const texts = options.map(({ text }) => text);
  const marks = texts.flatMap((text, at) =>
    text === "-I" ? (texts[at + 1] ?? []) : (/^(?:-[Ii]|--replace=)(.+)/.exec(text)?.[1] ?? []),
  );
  return (one) => {
    const places = [...marks.map((mark) => one.text.indexOf(mark)), one.text.search(/\{[^{}\s]*\}/)];
    const known = Math.min(...places.filter((at) => at !== -1));
    return known === Infinity ? one : { ...one, lead: one.lead.slice(0, known), state: "unknown" };
  };
}

function isNoAssignment({ text }: ShellWord): boolean {
  return !/^\w+=/.test(text);
}

function word(text: string): ShellWord {
  return { text, lead: text, state: "known" };
}

function elsewhere(why: string): Unseen {
  return { why, where: "elsewhere" };
}
