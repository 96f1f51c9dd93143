import { headOf } from "../../../text.ts";

/** The outcome that a result reports. */
export interface Outcome {
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
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(report === undefined ? {} : { report }),
    ...(error === undefined ? {} : { error }),
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
