import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { findStarted } from "./find-started.ts";
import type { ShellCommand, ShellLine, ShellRedirect, ShellWord, Unseen } from "./shell-line.ts";

/** A longer line is not looked at: bash takes some 130,000 characters. */
const MAX_CHARACTERS = 100_000;
/** Of commands in commands: `bash -c "bash -c ..."`, `sudo sudo ...`. */
const MAX_NESTING = 8;
const MAX_COMMANDS = 1_000;

interface Reading {
  readonly commands: ShellCommand[];
  readonly redirects: ShellRedirect[];
  readonly nesting: number;
  folder: string | undefined;
  problem: string | undefined;
}

/**
 * Reads a line with a parser of bash. Everything that it may run is found as far as it is written there: in pipes, lists, loops,
 * functions, substitutions and here-documents, and behind programs that start others. What a script does is not looked at.
 */
export function parseLine(line: string): ShellLine {
  return parseNested(line, 0, "");
}

function parseNested(line: string, nesting: number, folder: string | undefined): ShellLine {
  if (line.length > MAX_CHARACTERS)
    return unparsed(`it has ${line.length} characters, at most ${MAX_CHARACTERS} are read`);
  if (nesting > MAX_NESTING) return unparsed("it is nested too deeply");
  if (line.includes("\0")) return unparsed("it contains a NUL character");
  const reading: Reading = { commands: [], redirects: [], nesting, folder, problem: undefined };
  try {
    visit(parse(line), reading);
  } catch (error) {
    // What is nested by the thousand ends the stack.
    if (!(error instanceof RangeError)) throw error;
    return unparsed("it is nested too deeply");
  }
  if (reading.commands.length > MAX_COMMANDS) return unparsed(`it has more than ${MAX_COMMANDS} commands`);
  if (reading.problem !== undefined) return unparsed(reading.problem);
  return { kind: "parsed", commands: reading.commands, redirects: reading.redirects };
}

function unparsed(problem: string): ShellLine {
  return { kind: "unparsed", problem };
}

function visit(node: SyntaxNode, reading: Reading): void {
  if ("errors" in node && node.errors !== undefined && node.errors.length > 0) {
    reading.problem ??= `${node.errors[0]!.message} (character ${node.errors[0]!.pos + 1})`;
  }
  if (node.type === "Redirect" || node.type === "HereString" || node.type === "HereDoc") addRedirect(node, reading);
  // What runs in a shell of its own changes the folder for itself only.
  const before = reading.folder;
  forEachChild(node, (child) => visit(child, reading));
  if (node.type === "Subshell" || node.type === "CommandExpansion" || node.type === "ProcessSubstitution") {
    reading.folder = before;
  }
  if (node.type === "Command") addCommand(node, reading);
}

function addCommand(node: Command, reading: Reading): void {
  const assignments = node.prefix.flatMap((part) => (part.type === "Assignment" ? [readAssignment(part)] : []));
  const args = node.args.map((arg) => (arg.type === "Word" ? readWord(arg) : readAssignment(arg)));
  const words = node.name === undefined ? args : [readWord(node.name), ...args];
  const command = toCommand({ words, assignments }, inputOf(node.redirects), reading, 0);
  reading.commands.push(command);
  reading.folder = folderAfter(command, reading.folder);
}

/** A command with all that it starts. */
function toCommand(
  { words, assignments }: Pick<ShellCommand, "words" | "assignments">,
  input: string | undefined,
  reading: Reading,
  depth: number,
): ShellCommand {
  const { folder } = reading;
  if (depth > MAX_NESTING) {
    const unseen = { why: "it is nested too deeply", where: "elsewhere" } as const;
    return { words, assignments, folder, effect: "other", starts: [], unseen };
  }
  const { commands, codes, effect, unseen } = findStarted(words, input);
  const setting = assignments.find(({ text }) => RUNNING_VARIABLES.test(text.slice(0, 40)));
  const problems: Unseen[] = unseen === undefined ? [] : [unseen];
  if (setting !== undefined) {
    problems.push({ why: `programs run what ${setting.text.split("=", 1)[0]} names`, where: "words" });
  }
  const nested = codes.flatMap((code) => {
    const line = parseNested(code, reading.nesting + 1, folder);
    if (line.kind === "parsed") {
      reading.redirects.push(...line.redirects);
      return line.commands;
    }
    problems.push({ why: line.problem, where: "elsewhere" });
    return [];
  });
  const starts = [...commands.map((one) => toCommand(one, undefined, reading, depth + 1)), ...nested];
  return { words, assignments, effect, starts, folder, ...(problems[0] === undefined ? {} : { unseen: problems[0] }) };
}

/** Variables whose value programs run, or from which they load code. */
const RUNNING_VARIABLES =
  /^(?:BASH_ENV|ENV|PS4|PROMPT_COMMAND|PATH|IFS|SHELL|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|LD_\w+|DYLD_\w+|GIT_\w+|SSH_ASKPASS|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|RIPGREP_CONFIG_PATH|RUSTC\w*|CC|CXX|MAKEFLAGS|JAVA_TOOL_OPTIONS)\+?=/;

/** What a command reads as its input, if it is written in the line. */
function inputOf(redirects: readonly Redirection[]): string | undefined {
  const last = redirects.findLast(({ operator }) => operator.startsWith("<"));
  if (last?.type === "HereDoc") return last.body.parts === undefined ? last.body.text : undefined;
  if (last?.type !== "HereString" || last.target === undefined) return undefined;
  const word = readWord(last.target);
  return word.state === "known" ? word.text : undefined;
}

function addRedirect(node: Redirection, { redirects, folder }: Reading): void {
  if (node.type !== "Redirect" || node.target === undefined) return;
  const target = readWord(node.target);
  // `2>&1`, `>&-`: no file is opened.
  if (node.operator.endsWith("&") && /^(\d+-?|-)$/.test(target.text)) return;
  redirects.push({ target, access: node.operator === "<" ? "read" : "write", folder });
}

function folderAfter({ words: [name, to], folder: at }: ShellCommand, folder: string | undefined): string | undefined {
  if (name?.text !== "cd" && name?.text !== "pushd") return folder;
  if (to === undefined) return "~";
  if (to.state !== "known" || to.text === "-") return undefined;
  if (/^[/~]/.test(to.text)) return to.text;
  return at === undefined ? undefined : at === "" ? to.text : `${at}/${to.text}`;
}

/** The user's home, however it is written. */
const HOME = /^\$(?:HOME|\{HOME\})$/;

/** What is known of a word: quotes are taken off, escapes are read, expansions are not. */
function readWord({ text, value, parts }: Word): ShellWord {
  if (parts === undefined) return { text: value, lead: value, state: "known" };
  return join(parts.map(readPart), text);
}

/** `NAME=value`; lists and indexes are not read. */
function readAssignment({ name, value, append, index, text }: Assignment): ShellWord {
  if (value.type !== "Word" || index !== undefined || append) return { text, lead: "", state: "unknown" };
  const read = readWord(value);
  return { text: `${name}=${read.text}`, lead: `${name}=${read.lead}`, state: read.state };
}

function readPart(part: WordPart): ShellWord {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { text: part.value, lead: part.value, state: "known" };
    case "DoubleQuoted":
    case "LocaleString":
      return join(part.parts.map(readPart), part.text);
    case "Glob":
    case "ExtendedGlob":
      return { text: part.text, lead: part.text, state: "pattern" };
    case "SimpleExpansion":
    case "ParameterExpansion":
      if (HOME.test(part.text)) return { text: "~", lead: "~", state: "unknown" };
      return { text: part.text, lead: "", state: "unknown" };
    default:
      return { text: part.text, lead: "", state: "unknown" };
  }
}

function join(pieces: readonly ShellWord[], written: string): ShellWord {
  const states = pieces.map(({ state }) => state);
  // The home is not known, and yet it is known where it lies.
  const end = pieces.findIndex(({ text, lead }) => lead !== text);
  const known = end === -1 ? pieces : pieces.slice(0, end + 1);
  return {
    text: pieces.length === 0 && /["']/.test(written) ? "" : pieces.map(({ text }) => text).join(""),
    lead: known.map(({ lead }) => lead).join(""),
    state: states.includes("unknown") ? "unknown" : states.includes("pattern") ? "pattern" : "known",
  };
}
