import { findUnseen } from "./find-unseen.ts";
import { programOf, type ShellCommand, type ShellWord, type Unseen } from "./shell-line.ts";
import { GIT_OPTIONS, STARTERS, type Starter } from "./starters.ts";

export interface Started {
  readonly commands: readonly Pick<ShellCommand, "words" | "assignments">[];
  /** Texts that a shell runs. */
  readonly codes: readonly string[];
  readonly effect: ShellCommand["effect"];
  readonly unseen?: Unseen;
}

const NOTHING: Started = { commands: [], codes: [], effect: "other" };
const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"]);
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
  const starter = STARTERS.get(program) ?? STARTERS.get(`${program} ${args[0]?.text ?? ""}`);
  const unseen = findUnseen(program, args, input);
  const seen = unseen === undefined ? {} : { unseen };
  if (starter === undefined) return { ...NOTHING, ...seen };
  return { ...behind(program, STARTERS.has(program) ? args : args.slice(1), starter), ...seen };
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
  const after = (...options: readonly string[]): readonly ShellWord[] | undefined => {
    const at = args.findIndex(({ text }) => options.includes(text));
    return at === -1 ? undefined : args.slice(at + 1, at + 2);
  };
  if (program === "eval") return args;
  if (program === "trap") return args.length > 1 && args[0]?.text !== "-" ? args.slice(0, 1) : [];
  if (program === "script" || program === "su" || program === "flock") return after("-c", "--command");
  if (program === "watch") return operands(args, ["-n", "--interval"]);
  if (program === "ssh") return operands(args, ["-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D"]).slice(1);
  if (program !== "git") return undefined;
  const [command, ...rest] = withoutGitOptions(args);
  if (command?.text === "rebase") {
    const at = rest.findIndex(({ text }) => text === "-x" || text === "--exec");
    return at === -1 ? undefined : rest.slice(at + 1, at + 2);
  }
  if (command?.text === "submodule" && rest[0]?.text === "foreach") return operands(rest.slice(1), []);
  return command?.text === "bisect" && rest[0]?.text === "run" ? rest.slice(1) : undefined;
}

function toCode(program: string, code: readonly ShellWord[]): Started {
  if (code.some(({ state }) => state === "unknown")) {
    return { ...NOTHING, unseen: elsewhere(`what ${program} runs is not known before it runs`) };
  }
  const effect = SHELLS.has(program) || program === "eval" ? "same" : "other";
  return { ...NOTHING, codes: code.length === 0 ? [] : [code.map(({ text }) => text).join(" ")], effect };
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
  const { valued, skip = 0, effect, adds } = starter;
  const rest = operands(args, valued);
  const assignments = program === "env" ? rest.slice(0, rest.findIndex(isNoAssignment) >>> 0) : [];
  const own = rest.slice(Math.max(assignments.length, skip));
  const unknown = args
    .slice(0, args.length - rest.length)
    .find(({ state, text }) => state === "unknown" || text === "-S");
  const end = adds === "words" ? own.findIndex(({ text }) => /^:::/.test(text)) : -1;
  const words = end === -1 ? own : own.slice(0, end);
  return {
    commands: words.length === 0 ? [] : [{ words: adds === undefined ? words : [...words, READ_WORD], assignments }],
    codes: [],
    effect,
    ...(unknown === undefined ? {} : { unseen: elsewhere(`what ${program} runs is not known before it runs`) }),
  };
}

/** The words behind the options. An option that takes a word of its own is followed by it. */
function operands(args: readonly ShellWord[], valued: readonly string[]): readonly ShellWord[] {
  let at = 0;
  for (; at < args.length && /^-./.test(args[at]!.text); at++) {
    if (args[at]!.text === "--") return args.slice(at + 1);
    if (valued.includes(args[at]!.text)) at++;
  }
  return args.slice(at);
}

/** The words of git from its command on: what `git -C folder` stands before. */
export function withoutGitOptions(args: readonly ShellWord[]): readonly ShellWord[] {
  return operands(args, GIT_OPTIONS);
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
