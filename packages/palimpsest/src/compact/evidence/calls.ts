// Reads calls and their results: which files, which command, and how the call ended.

import type { ToolCall } from "../../log/block.ts";
import { type ShellToken, shellTokens } from "../../shell-words.ts";
import { headOf } from "../../text.ts";
import { type FileAccess, fileOf } from "../../view/items.ts";

export type LineRange = readonly [firstLine: number, lastLine: number];

/**
 * Where an edit stands in its file: by a line of the new text, since edits report no line numbers and later ones move lines.
 * `npm run -s lab -- economics`, profile `balanced`: of the lines that edits replace, 5.95% are out of view instead of 6.15%.
 */
export interface WrittenLines {
  /** The longest line of the new text, or its beginning. */
  readonly line: string;
  /** The number of new lines before it and after it. */
  readonly before: number;
  readonly after: number;
}

/** A file that a call reads or edits, with its lines as far as they are known. */
export interface FileTouch extends FileAccess {
  readonly range?: LineRange;
  readonly written?: WrittenLines;
}

const MAX_LINE_CHARACTERS = 120;
/** Shorter lines are in many places of a file. */
const LEAST_LINE_CHARACTERS = 8;

/** Returns the place of a new text; undefined if no line of it is long enough to be found again. */
export function writtenLines(text: string): WrittenLines | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const line = lines.reduce((long, one) => (one.length > long.length ? one : long), "");
  if (line.length < LEAST_LINE_CHARACTERS) return undefined;
  const before = lines.indexOf(line);
  return { line: line.slice(0, MAX_LINE_CHARACTERS).toWellFormed(), before, after: lines.length - 1 - before };
}

/** Returns the lines of a file in which a written text stands now; undefined if it is no longer there. */
export function findWritten(lines: readonly string[], { line, before, after }: WrittenLines): LineRange | undefined {
  const at = lines.findIndex((one) => one.trimStart().startsWith(line));
  if (at === -1) return undefined;
  return [Math.max(1, at + 1 - before), Math.min(lines.length, at + 1 + after)];
}

const BEGIN = "*** Begin Patch";

/** Returns the files that a patch changes (`*** Begin Patch`, as `apply_patch` takes it), each with the place of its new lines. */
export function patchedFiles(values: Iterable<unknown>): readonly FileTouch[] {
  for (const value of values) {
    if (typeof value === "string" && value.includes(BEGIN)) return filesOf(value.slice(value.indexOf(BEGIN)));
  }
  return [];
}

function filesOf(patch: string): readonly FileTouch[] {
  const files: FileTouch[] = [];
  for (const section of patch.split(/^\*\*\* (?=(?:Update|Add) File: )/m).slice(1)) {
    const [heading, ...lines] = section.split("\n");
    const path = heading!.slice(heading!.indexOf(": ") + 2).trim();
    const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    const written = writtenLines(added.join("\n"));
    if (path !== "") files.push({ path, access: "edit", written });
  }
  return files;
}

/** A file that a command shows. */
interface ShownFile {
  readonly path: string;
  /** Its lines, if the command names them. */
  readonly range?: LineRange;
}

/** A command that only shows a file is short. */
const MAX_SHOWING_CHARACTERS = 2_000;

/**
 * Returns the file that a command shows, if that is all it does: many agents read files by `sed -n '1,200p' file` and `cat file`.
 * `npm run -s lab -- economics`: of the lines that recorded agents edited and no longer saw, a tenth had been shown so.
 */
export function shownFile(command: string): ShownFile | undefined {
  if (command.length > MAX_SHOWING_CHARACTERS) return undefined;
  const tokens = shellTokens(command.trim());
  if (tokens.some(({ state }) => state === "open")) return undefined;
  const behind = behindFolder(tokens, 0);
  const folder = behind === 0 ? undefined : tokens[1]!.text;
  const shown = fileShownBy(tokens.slice(behind));
  if (shown === undefined || shown.path === "" || shown.path.includes("\n")) return undefined;
  if (folder === undefined || shown.path.startsWith("/")) return shown;
  return { ...shown, path: `${folder.endsWith("/") ? folder.slice(0, -1) : folder}/${shown.path}` };
}

/** `cd FOLDER &&`: returns the number of the token after it, or `at` if the command has no folder there. */
function behindFolder(tokens: readonly ShellToken[], at: number): number {
  const [cd, folder, and] = tokens.slice(at, at + 3);
  return cd?.text === "cd" && folder?.kind === "word" && and?.kind === "operator" && and.text === "&&" ? at + 3 : at;
}

function fileShownBy(tokens: readonly ShellToken[]): ShownFile | undefined {
  const pipe = tokens.findIndex(({ kind }) => kind === "operator");
  if (pipe !== -1 && (tokens[pipe]!.text !== "|" || tokens.slice(pipe + 1).some(({ kind }) => kind === "operator"))) {
    return undefined;
  }
  const words = (pipe === -1 ? tokens : tokens.slice(0, pipe)).map(({ text }) => text);
  const [program, option, ...rest] = words;
  if (pipe !== -1) {
    const filter = tokens.slice(pipe + 1).map(({ text }) => text);
    const path = wholeFile(words);
    const range =
      filter[0] === "sed" && filter[1] === "-n" && filter.length === 3 ? printedLines(filter[2]!) : undefined;
    return path === undefined || range === undefined ? undefined : { path, range };
  }
  if (program === "sed" && option === "-n" && rest.length === 2) {
    const range = printedLines(rest[0]!);
    return range && { path: rest[1]!, range };
  }
  if (program === "head" && option !== undefined) {
    const count = option === "-n" ? rest.shift() : option.startsWith("-n") ? option.slice(2) : option.slice(1);
    const last = option.startsWith("-") ? lineNumber(count) : undefined;
    return last === undefined || rest.length !== 1 ? undefined : { path: rest[0]!, range: [1, last] };
  }
  const path = wholeFile(words);
  return path === undefined ? undefined : { path };
}

/** `cat FILE`, `cat -n FILE`, `nl FILE`, `nl -ba FILE`. */
function wholeFile([program, ...rest]: readonly string[]): string | undefined {
  if (program !== "cat" && program !== "nl") return undefined;
  if (rest[0] === (program === "cat" ? "-n" : "-ba")) rest.shift();
  return rest.length === 1 && !rest[0]!.startsWith("-") ? rest[0] : undefined;
}

/** `3,9p` */
function printedLines(script: string): LineRange | undefined {
  const [first, last] = script.endsWith("p") ? script.slice(0, -1).split(",").map(lineNumber) : [];
  return first === undefined || last === undefined || last < first ? undefined : [first, last];
}

function lineNumber(digits: string | undefined): number | undefined {
  return digits !== undefined && /^\d{1,7}$/.test(digits) && Number(digits) >= 1 ? Number(digits) : undefined;
}

/** The effect of a call, as far as its shape shows it. */
interface ReadCall {
  /** Only a patch has more than one. */
  readonly files?: readonly FileTouch[];
  readonly command?: string;
  /** The command as it was run, if that is not the same. */
  readonly asRun?: string;
}

const MAX_COMMAND_CHARACTERS = 240;

export function readCall(call: ToolCall): ReadCall {
  const fields = fieldsOf(call.input);
  const file = fileOf(call);
  if (file !== undefined) {
    const range = rangeOf(fields);
    const written = file.access === "edit" ? writtenLines(newTextOf(fields)) : undefined;
    const lines = { range, written };
    return { files: [{ ...file, ...lines }] };
  }
  const patched = patchedFiles(partsOf(call.input));
  if (patched.length > 0) return { files: patched };
  const asRun = commandOf(fields["command"] ?? fields["cmd"]);
  if (asRun === undefined) return {};
  const command = toCommand(withoutFrame(asRun));
  const shown = shownFile(asRun);
  return {
    command,
    ...(command === toCommand(asRun) ? {} : { asRun: toCommand(asRun) }),
    files: shown === undefined ? undefined : [{ ...shown, access: "read" }],
  };
}

/** Returns the line range of a result with line numbers: `12:`, `12|`, or `12` with a tab or an arrow. */
export function numberedLines(text: string): LineRange | undefined {
  const first = /^[ \t]{0,20}(\d{1,7})[\t:|\u2192]/m.exec(text.slice(0, 2_000));
  const last = [...text.slice(-2_000).matchAll(/^[ \t]{0,20}(\d{1,7})[\t:|\u2192]/gm)].at(-1);
  if (first === null || last === undefined) return undefined;
  const range: LineRange = [Number(first[1]), Number(last[1])];
  return range[0] >= 1 && range[0] <= range[1] ? range : undefined;
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
}

/** The values of an input, and the elements of lists: programs are passed with their arguments. */
function partsOf(input: unknown): readonly unknown[] {
  return typeof input === "string" ? [input] : Object.values(fieldsOf(input)).flat();
}

function rangeOf(fields: Readonly<Record<string, unknown>>): LineRange | undefined {
  const count = (...names: string[]): number | undefined => {
    const value = names.map((name) => fields[name]).find((field) => typeof field === "number");
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const view = fields["view_range"];
  if (Array.isArray(view) && view.every(Number.isSafeInteger) && view[0] >= 1 && view[1] >= view[0]) {
    return [view[0], view[1]];
  }
  const first = count("offset", "start_line", "startLine", "from_line");
  const limit = count("limit", "lines");
  const last = count("end_line", "endLine") ?? (limit === undefined ? undefined : (first ?? 1) + limit - 1);
  return last === undefined || last < (first ?? 1) ? undefined : [Math.max(1, first ?? 1), last];
}

/** The new text of an edit; of several in one call, the last one's. */
function newTextOf(fields: Readonly<Record<string, unknown>>): string {
  const edits = fields["edits"];
  const edit = Array.isArray(edits) ? fieldsOf(edits.at(-1)) : fields;
  const text = edit["new_string"] ?? edit["newText"] ?? edit["new_str"];
  return typeof text === "string" ? text : "";
}

/** Some tools pass a program with its arguments as a list, mostly wrapped: `["bash", "-lc", "..."]`. */
function commandOf(value: unknown): string | undefined {
  const text =
    Array.isArray(value) && value.every((part) => typeof part === "string")
      ? /^(?:\/\S*\/)?(?:ba|z|da)?sh$/.test(value[0] ?? "") && value.length > 2
        ? value.at(-1)
        : value.join(" ")
      : value;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return text.trim();
}

function toCommand(text: string): string {
  return headOf(text, MAX_COMMAND_CHARACTERS).toWellFormed();
}

/** What follows is never kept, and only decides which filter is the last. */
const MAX_FRAMED_CHARACTERS = 4_000;

/** Removes the working folder and output filters, which change from run to run; the command is the same. */
function withoutFrame(command: string): string {
  const text = headOf(command, MAX_FRAMED_CHARACTERS);
  const tokens = shellTokens(text);
  let first = 0;
  for (let next = behindFolder(tokens, 0); next !== first; next = behindFolder(tokens, first)) first = next;
  let last = tokens.length;
  for (let start = filterStart(tokens, last); start > first; start = filterStart(tokens, last)) last = start;
  const kept = tokens.slice(first, last);
  if (kept.length === 0) return command;
  const pieces: string[] = [];
  let from = kept[0]!.start;
  for (const [at, { text: operator, end }] of kept.entries()) {
    if (operator !== "2>&" || kept[at + 1]?.text !== "1") continue;
    pieces.push(text.slice(from, kept[at - 1]?.end ?? end));
    from = kept[at + 1]!.end;
  }
  pieces.push(text.slice(from, last === tokens.length ? text.length : kept.at(-1)!.end));
  const bare = pieces.join("").trim();
  return bare === "" ? command : bare;
}

/** `| head -20`, `| tail -n 5` before this end: returns the number of its pipe; -1 if the last part of the pipe is no such filter. */
function filterStart(tokens: readonly ShellToken[], end: number): number {
  let pipe = end - 1;
  while (pipe >= 0 && tokens[pipe]!.kind === "word") pipe--;
  const [program, ...rest] = tokens.slice(pipe + 1, end);
  if (pipe === -1 || tokens[pipe]!.text !== "|" || (program?.text !== "head" && program?.text !== "tail")) return -1;
  const isNumber = ({ text }: ShellToken): boolean => /^\d{1,9}$/.test(text);
  return rest.every((one, at) => one.text.startsWith("-") || (at === rest.length - 1 && isNumber(one))) ? pipe : -1;
}

/** The outcome that a result reports. */
interface Outcome {
  readonly state: "ok" | "failed";
  readonly exitCode?: number;
  /** The line with the counts of tests or checks, verbatim. */
  readonly report?: string;
  /** The first lines of the error, verbatim. */
  readonly error?: string;
}

const EXIT_CODE = /\bexit(?:ed)?[ _]?(?:with )?(?:code|status)?["']?[ :=]+(?:code |status )?(\d{1,3})\b/i;
/** A result states its exit code near its beginning or end; elsewhere the words belong to other text. */
const EXIT_CHARACTERS = 200;
const REPORT =
  /\b\d+ (?:tests? )?(?:passed|failed|passing|failing|failures?|errors?|problems?|skipped)\b|^(?:ok|FAIL|PASS)\s|\btest result:/i;
const ERROR_LINE =
  /\b(?:\w*error|fatal|panic|\w*exception|traceback|fail(?:ed|ure)?|cannot|undefined|denied|not found|no such|refused|invalid|unexpected)\b/i;
/** For a result that counts as fine (the end of a pipe succeeded), only unambiguous errors. */
const CLEAR_ERROR_LINE =
  /^\s*(?:error(?:\[\w+\])?:|fatal:|panic:|Traceback \(|--- FAIL|FAIL\b|\w*(?:Error|Exception): )/;
const LOOKED_AT_CHARACTERS = 8_000;
const REPORT_CHARACTERS = 120;
const ERROR_CHARACTERS = 240;
const ERROR_LINES = 2;

/**
 * Reads the outcome from the usual output of shells, test runners and compilers. `kind`: for anything but a command,
 * only the status counts.
 */
export function outcomeOf(text: string, status: "ok" | "error", kind: "command" | "other"): Outcome {
  if (kind === "other") return status === "ok" ? { state: "ok" } : { state: "failed", error: errorIn(text, /./) ?? "" };
  const ends = [text.slice(0, EXIT_CHARACTERS), text.slice(-EXIT_CHARACTERS)];
  const code = ends.map((end) => EXIT_CODE.exec(end)?.[1]).find((found) => found !== undefined);
  const exitCode = code === undefined ? undefined : Number(code);
  const state = status === "error" || (exitCode ?? 0) > 0 ? "failed" : "ok";
  const report = lastLine(text, REPORT);
  const error =
    state === "failed" ? (errorIn(text, ERROR_LINE) ?? lastLine(text, /\S/, report)) : errorIn(text, CLEAR_ERROR_LINE);
  return {
    state,
    exitCode,
    report,
    error,
  };
}

/** `told`: a line that is already known. */
function lastLine(text: string, matching: RegExp, told?: string): string | undefined {
  const lines = text.slice(-LOOKED_AT_CHARACTERS).split("\n");
  const line = lines.findLast((each) => each.length < 400 && matching.test(each));
  const said = line && headOf(line.trim(), REPORT_CHARACTERS);
  return said === told ? undefined : said;
}

function errorIn(text: string, matching: RegExp): string | undefined {
  const head = text.slice(0, LOOKED_AT_CHARACTERS);
  const tail = text.length > LOOKED_AT_CHARACTERS ? text.slice(-LOOKED_AT_CHARACTERS) : "";
  for (const part of [head, tail]) {
    const lines = part.split("\n").filter((line) => line.trim() !== "" && !/^\s*exit code:? \d+\s*$/i.test(line));
    const first = lines.findIndex((line) => matching.test(line));
    if (first < 0) continue;
    // A continuation is indented, or also reports an error; any other line is unrelated output.
    const isMore = (line: string): boolean => /^[\s|>^]/.test(line) || matching.test(line);
    const rest = lines.slice(first + 1, first + ERROR_LINES);
    const end = rest.findIndex((line) => !isMore(line));
    const said = [lines[first]!, ...(end < 0 ? rest : rest.slice(0, end))].map((line) => line.trim());
    return headOf(said.join("\n"), ERROR_CHARACTERS).toWellFormed();
  }
  return undefined;
}
