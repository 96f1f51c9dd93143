import { withoutGitOptions } from "./command-forms.ts";
import type { ShellWord, Unseen } from "./shell-line.ts";

/** Options behind which code of a program stands, or a program that it runs. */
const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  awk: /\bsystem\b|getline|\||^-f|^--file|@load/,
  python: /^-\w*c$/,
  node: /^(-e|-p|-pe|--eval|--print|--import|--require|-r)(=|$)/,
  bun: /^(-e|-p|--eval|--print)$/,
  deno: /^eval$/,
  perl: /^-\w*[eEMm]/,
  ruby: /^-\w*[er]/,
  php: /^-[rBREf]$/,
  lua: /^-e/,
  osascript: /^-e/,
  Rscript: /^-e/,
  vim: /^(-c|--cmd|-S|-s|-es|-u|\+.*)$/,
  emacs: /^(-eval|--eval|-f|-l|--batch|--script)/,
  ed: /./,
  gdb: /./,
  expect: /./,
  tar: /^(--checkpoint-action|--to-command|--use-compress-program|--rsh-command|--info-script|--new-volume-script|-I|-F)/,
  make: /^(-f-|--eval|-E$|SHELL=)/,
  rsync: /^(-e|--rsh|--rsync-path|-\w*e$)/,
  scp: /^(-S|-o)/,
  sort: /^--compress-program/,
  rg: /^(--pre|--hostname-bin)(=|$)/,
  man: /^(-P|--pager|--html|-H)/,
  zip: /^-TT/,
  tcpdump: /^-z/,
  crontab: /./,
  at: /./,
  batch: /./,
  alias: /=/,
  hash: /^-p/,
  enable: /^-f/,
  npm: /^(--script-shell|--node-options)/,
  docker: /^(run|exec|compose)$/,
  // Their windows run commands, and take what is typed into them. Windows may also be listed, read and closed.
  tmux: /^(new|split|respawn|run|if|send|popup|display-p|pipe|bind|confirm|command-prompt|source|set|-f|-c)/,
  screen: /^(?!-ls$|-list$|-v$|-wipe$)/,
};

/** The same of git, before its command and behind it. Long options may be cut where no other begins so. */
const GIT = {
  before: /^(-c|--exec-path|--config-env)(=|$)/,
  behind: /^(--upl[\w-]*|--rece[\w-]*|--exec|--op[\w-]*|-O|--ext[\w-]*|-x|--\w+-filter)(=|$)/,
  clone: /^(-u|-c|--u|--conf)/,
};

const SAME: Readonly<Record<string, string>> = {
  nodejs: "node",
  vi: "vim",
  nvim: "vim",
  view: "vim",
  ex: "vim",
  luajit: "lua",
  gmake: "make",
  bsdtar: "tar",
  gtar: "tar",
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  podman: "docker",
  byobu: "tmux",
  dtach: "screen",
  abduco: "screen",
};

/** Programs that run what they read if they are given no file. */
const READERS = new Set(["python", "node", "perl", "ruby", "php", "lua", "osascript", "deno", "bun", "tclsh", "make"]);

/** Why a program may run something that its words do not name as a command; undefined: nothing says so. */
export function findUnseen(program: string, args: readonly ShellWord[], input: string | undefined): Unseen | undefined {
  const plain = program.replace(/^(python|pypy|perl|ruby|php|lua|node)[\d.]+$/, "$1");
  const name = plain === "pypy" ? "python" : (SAME[plain] ?? plain);
  const words = args.map(({ text }) => text);
  if ((name === "source" || name === ".") && args[0]?.state !== "known") {
    return { why: `what ${program} runs is not known before it runs`, where: "elsewhere" };
  }
  if (name === "git" ? gitHasCode(args) : hasCode(name, words))
    return { why: `${program} runs code that is written in the line`, where: "words" };
  return readsCode(name, words, input) ? { why: `${program} runs what it reads`, where: "elsewhere" } : undefined;
}

function hasCode(name: string, words: readonly string[]): boolean {
  if (name === "sed") return mayRunCode(words);
  const option = CODE_OPTIONS[name];
  return option !== undefined && words.some((text) => option.test(text));
}

/** `git -c x=y log` may run code of the setting; in `git switch -c name` a branch is made. */
function gitHasCode(args: readonly ShellWord[]): boolean {
  const [command, ...behind] = withoutGitOptions(args);
  const before = args.slice(0, args.length - behind.length - (command === undefined ? 0 : 1));
  return (
    before.some(({ text }) => GIT.before.test(text)) ||
    behind.some(({ text }) => GIT.behind.test(text) || (command?.text === "clone" && GIT.clone.test(text)))
  );
}

function readsCode(name: string, words: readonly string[], input: string | undefined): boolean {
  if (!READERS.has(name)) return false;
  if (words.includes("-") || words.includes("/dev/stdin")) return true;
  if (name === "make") return input !== undefined;
  // `node --test` looks for its files by itself.
  const readsNothing = words.some((text) => /^(-V|-v|--version|-h|--help|--check|--test)$/.test(text));
  return !readsNothing && words.every((text) => text.startsWith("-"));
}

/** A longer script counts as one that may run code. */
const MAX_SED_CHARACTERS = 10_000;
/** Commands of sed that take nothing behind them and run nothing; `e`, `w` and the flags of the same name are not among them. */
const PLAIN_SED = "pdqnGHhxlgD=";
const SED_DELIMITERS = "/|#,@~%:!";

/** Whether each command of a script of sed is known to run nothing. Reads the script once, from left to right. */
function isPlainSed(script: string): boolean {
  if (script.length > MAX_SED_CHARACTERS) return false;
  let at = afterBlanks(script, 0);
  while (at < script.length) {
    at = afterSedCommand(script, at);
    if (at === -1) return false;
    const end = afterBlanks(script, at);
    // Blanks include line breaks: each ends a command, like a semicolon.
    if (end < script.length && script[end] !== ";" && !script.slice(at, end).includes("\n")) return false;
    at = script[end] === ";" ? afterBlanks(script, end + 1) : end;
  }
  return true;
}

/** The place behind an address, a range or none, and a command. -1: this is not known to be a plain command. */
function afterSedCommand(script: string, start: number): number {
  let at = afterAddress(script, start);
  if (at > start && script[afterBlanks(script, at)] === ",") {
    const from = afterBlanks(script, afterBlanks(script, at) + 1);
    at = afterAddress(script, script[from] === "+" ? from + 1 : from);
    if (at === from) return -1;
  }
  if (at === -1) return -1;
  at = afterBlanks(script, at);
  if (script[at] === "!") at = afterBlanks(script, at + 1);
  const command = script[at] ?? "";
  if (command !== "" && PLAIN_SED.includes(command)) return at + 1;
  const delimiter = script[at + 1] ?? "";
  if (command !== "s" || delimiter === "" || !SED_DELIMITERS.includes(delimiter)) return -1;
  at = afterDelimiter(script, at + 2, delimiter);
  if (at !== -1) at = afterDelimiter(script, at, delimiter);
  while (at !== -1 && at < script.length && "gIip0123456789".includes(script[at]!)) at++;
  return at;
}

/** `12`, `$`, `/words/`, `/words/I`. The same place: no address stands there; -1: its end is missing. */
function afterAddress(script: string, start: number): number {
  if (script[start] === "$") return start + 1;
  if (script[start] === "/") {
    const end = afterDelimiter(script, start + 1, "/");
    return end !== -1 && script[end] === "I" ? end + 1 : end;
  }
  let at = start;
  while (at < script.length && script[at]! >= "0" && script[at]! <= "9") at++;
  return at;
}

/** The place behind the next delimiter that no backslash precedes, in the same line; -1: it is missing. */
function afterDelimiter(script: string, start: number, delimiter: string): number {
  for (let at = start; at < script.length && script[at] !== "\n"; at++) {
    if (script[at] === delimiter) return at + 1;
    if (script[at] === "\\" && script[++at] === "\n") return -1;
  }
  return -1;
}

function afterBlanks(script: string, start: number): number {
  let at = start;
  while (at < script.length && " \t\r\n\f\v".includes(script[at]!)) at++;
  return at;
}

function mayRunCode(words: readonly string[]): boolean {
  if (words.some((text) => /^(-f|--file)/.test(text))) return true;
  const named = words.flatMap((text, at) => {
    if (/^-[a-zA-Z]*e$|^--expression$/.test(text)) return [words[at + 1] ?? ""];
    return /^(?:-[nrEsuz]*e|--expression=)(.+)/s.exec(text)?.[1] ?? [];
  });
  const scripts = named.length > 0 ? named : words.filter((text) => !text.startsWith("-")).slice(0, 1);
  return !scripts.every(isPlainSed);
}
