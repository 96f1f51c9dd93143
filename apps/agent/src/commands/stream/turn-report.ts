// Reports turns as text, as JSON, or as a stream of JSON lines.
import type { QueryEvent, QueryOutcome, SessionEvent } from "palimpsest";
import type { LedgerTotals } from "palimpsest/inspect";
import type { EventOwner } from "../../agent/agent.ts";
import type { DeniedCall } from "../../permissions/headless-permission.ts";
import { EXIT } from "../exit-codes.ts";
import type { Terminal } from "../terminal.ts";
import { type Notice, problem, type Surface } from "../text/notice.ts";
import { noticeOf } from "../text/notice-text.ts";
import { providerWords, retryWords } from "../text/provider-words.ts";

/** How a turn ended: by itself, or because it reached `--max-usd`. */
type TurnOutcome = QueryOutcome | BudgetUsedUp;

interface BudgetUsedUp extends Pick<QueryOutcome, "rounds" | "usage"> {
  readonly kind: "budget-used-up";
  /** The cost since the start of the program. */
  readonly spentUsd: number;
}

/** The end of a turn, as `--output-format json` prints it. */
export interface TurnResult {
  readonly kind: "result";
  readonly session: string;
  readonly outcome: TurnOutcome["kind"];
  readonly text: string;
  /** What went wrong, and what to do about it. */
  readonly problem?: string;
  readonly rounds: number;
  readonly usage: LedgerTotals;
  readonly denied: readonly DeniedCall[];
  /** The notices since the previous result, which standard error shows too. */
  readonly notices: readonly string[];
  readonly exitCode: number;
}

export type OutputFormat = "text" | "json" | "stream-json";

export interface TurnReport {
  /** Called when the session is open: begins the stream. Earlier events follow. */
  begin(started: Omit<StreamStarted, "kind" | "version">): Promise<void>;
  /** Called at the end of the program: says whether a compaction is needed. */
  end(): void;
  event(event: ReportedEvent): Promise<void>;
  /** Shows a notice that belongs to no event. */
  notice(notice: Notice): void;
  result(result: Omit<TurnResult, "notices">): Promise<void>;
}

/** An event of a turn, of the session between turns, or of an agent. */
export type ReportedEvent =
  | Exclude<QueryEvent, { readonly kind: "session-event" | "turn-ended" }>
  | ReportedSessionEvent
  | ReportedToolOutput;

/** Tool output, in `stream-json`. It comes before the `tool-ended` of its call. */
interface ReportedToolOutput {
  readonly kind: "tool-output";
  readonly callId: string;
  /** The output, or its beginning. */
  readonly text: string;
  /** The number of lines of the whole output. */
  readonly lines: number;
}

interface ReportedSessionEvent {
  readonly kind: "session-event";
  readonly event: SessionEvent;
  /** The agent or fork. @default the session itself */
  readonly owner?: EventOwner;
}

/** Builds the result of a turn. */
export function toResult(
  session: string,
  outcome: TurnOutcome,
  denied: readonly DeniedCall[],
): Omit<TurnResult, "notices"> {
  const wrong = problemOf(outcome, "command-line");
  return {
    kind: "result",
    session,
    outcome: outcome.kind,
    text: "text" in outcome ? outcome.text : "",
    problem: wrong,
    rounds: outcome.rounds,
    usage: outcome.usage,
    denied,
    exitCode: exitCodeOf(outcome, denied),
  };
}

function exitCodeOf({ kind }: TurnOutcome, denied: readonly DeniedCall[]): number {
  if (kind === "done") return denied.length === 0 ? EXIT.done : EXIT.refused;
  if (kind === "refused") return EXIT.refused;
  if (kind === "rounds-used-up") return EXIT.roundsUsedUp;
  if (kind === "budget-used-up") return EXIT.budgetUsedUp;
  return kind === "aborted" || kind === "left" ? EXIT.interrupted : EXIT.failed;
}

/** Describes a problem in a turn, and what to do about it. */
export function problemOf(outcome: TurnOutcome, surface: Surface): string | undefined {
  switch (outcome.kind) {
    case "done":
      return outcome.stop === "length"
        ? "The answer reached its length limit and was cut. Ask the model to continue."
        : undefined;
    case "refused":
      return "The model declined to answer.";
    case "aborted":
      return 'Interrupted. The session is saved. To resume it: palimpsest --continue -p "..."';
    case "left":
      return "The session was closed while the model worked. To continue: palimpsest --continue";
    case "waiting":
      return `Waiting for permission: ${outcome.questions.map(({ tool }) => tool).join(", ")}. To continue: palimpsest --continue`;
    case "rounds-used-up":
      return `Stopped after ${outcome.rounds} model responses (--max-rounds), before the model was done. To continue: palimpsest --continue`;
    case "budget-used-up":
      return `Stopped after spending $${outcome.spentUsd.toFixed(4)} (--max-usd), before the model was done. To continue: palimpsest --continue`;
    case "window-full": {
      const [size, most] = [outcome.sizeTokens, outcome.hardLimitTokens].map((tokens) =>
        tokens.toLocaleString("en-US"),
      );
      const [compact, rewind] =
        surface === "terminal"
          ? ["/compact", "/rewind"]
          : ["palimpsest sessions compact", "palimpsest sessions rewind"];
      return (
        `The context window is full: the conversation has about ${size} tokens, and an answer needs it below ${most}. ` +
        `Compact with ${compact}, go back with ${rewind}, or use a model with a larger window.`
      );
    }
    case "failed":
      return [providerWords(outcome.error, surface), outcome.advice].filter(Boolean).join(" ");
  }
}

/**
 * Reports turns in one of three formats. `text`: the answer on standard output, progress on standard error. `json`: one
 * object at the end. `stream-json`: every event when it happens, one per line. Notices go to standard error and into
 * the result; in a stream, their events replace them.
 */
export function createReport(format: OutputFormat, { print, say }: Terminal): TurnReport {
  const shownOnce = new Set<string>();
  let notices: string[] = [];
  /** The session that needs a compaction. */
  let due: string | undefined;
  /** Lines that wait for the first line of the stream. */
  let waitingLines: string[] | undefined = [];

  async function stream(event: ReportedEvent | TurnResult): Promise<void> {
    if (waitingLines === undefined) return print(toJson(event));
    waitingLines.push(toJson(event));
  }

  function note({ text, weight, once }: Notice, where: "aloud" | "result-only"): void {
    if (once !== undefined && shownOnce.has(once)) return;
    if (once !== undefined) shownOnce.add(once);
    notices.push(text);
    if (where === "aloud") say(text, weight === "problem" ? "warning" : "faint");
  }

  return {
    notice: (notice) => note(notice, "aloud"),
    async begin(started) {
      const waiting = waitingLines ?? [];
      waitingLines = undefined;
      if (format !== "stream-json") return;
      const first: StreamStarted = { kind: "stream-started", version: STREAM_VERSION, ...started };
      await Promise.all([toJson(first), ...waiting].map((line) => print(line)));
    },
    end() {
      if (due !== undefined)
        say(`The session needs a compaction: palimpsest sessions compact --session ${due.slice(0, 8)}`, "warning");
    },
    async event(event) {
      if (event.kind === "session-event" && event.owner === undefined) due = dueAfter(event.event, due);
      const notice = noticeAbout(event);
      if (notice !== undefined) note(notice, format === "stream-json" ? "result-only" : "aloud");
      if (format === "stream-json") return stream(event);
      const isLine = format === "text" && event.kind !== "session-event" && event.kind !== "tool-output";
      const line = isLine ? eventLine(event) : undefined;
      if (line !== undefined) say(line, "faint");
    },
    async result(result) {
      const whole: TurnResult = { ...result, notices };
      notices = [];
      if (format === "stream-json") return stream(whole);
      if (format === "json") return print(toJson(whole));
      if (whole.text !== "") await print(whole.text);
      for (const { tool, input, reason, allowedBy } of whole.denied) {
        const how = allowedBy.map((rule) => `--allow '${rule}'`).join(" ");
        const hint = how === "" ? "" : `. To allow it: ${how}`;
        say(`Denied: ${tool} ${short(input)} (${reason})${hint}`, "warning");
      }
      if (whole.problem !== undefined) say(whole.problem, "warning");
    },
  };
}

function noticeAbout(event: ReportedEvent): Notice | undefined {
  if (event.kind === "session-event") return noticeOf(event.event, "command-line", event.owner);
  const isUnknown = event.kind === "tool-ended" && event.how === "unknown";
  return isUnknown ? problem(`${event.call.name} ${short(event.call.input)}: ${OUTCOME_UNKNOWN}`) : undefined;
}

/** The message to the person about a call that was open when an earlier process ended. */
export const OUTCOME_UNKNOWN =
  "Palimpsest ended while this call was open, so it may have taken effect. The model was told to look before it calls the tool again.";

function dueAfter(event: SessionEvent, due: string | undefined): string | undefined {
  if (event.kind === "compaction-due") return event.session;
  return event.kind === "compaction-ended" && event.outcome.kind === "compacted" ? undefined : due;
}

/** Describes an event in one line for people. Undefined for events that people need not see. */
export function eventLine(event: QueryEvent): string | undefined {
  switch (event.kind) {
    case "tool-started":
      return `> ${event.call.name} ${short(event.input)}`;
    case "tool-waiting":
      return waitingText(event.question);
    case "retry-waiting":
      return retryWords(event);
    case "notice":
      return event.text;
    case "session-event":
      return noticeOf(event.event, "command-line")?.text;
    default:
      return undefined;
  }
}

/** Describes a call that waits for permission, with the reason. */
export function waitingText({ tool, reason }: Extract<QueryEvent, { kind: "tool-waiting" }>["question"]): string {
  return `${tool} waits for permission.${reason === undefined ? "" : ` ${reason}`}`;
}

const SHORT_CHARACTERS = 100;

/** Formats a tool's input in one line. */
function short(input: unknown): string {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const { command, file_path, path, pattern, description } = fields;
  const main = [command, file_path, pattern, path, description].find((value) => typeof value === "string");
  const text = (main ?? JSON.stringify(input) ?? "").replaceAll(/\s+/g, " ");
  return text.length > SHORT_CHARACTERS ? `${text.slice(0, SHORT_CHARACTERS - 1)}…` : text;
}

/** Converts to JSON with the name and message of errors, which JSON leaves out. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member instanceof Error ? { name: member.name, message: member.message } : member,
  );
}

/**
 * The version of the events of `--output-format stream-json`. Within a version, events and fields are only added. A
 * change that could break a reader needs a new version.
 */
export const STREAM_VERSION = 1;

/** The first line of a stream. */
export interface StreamStarted {
  readonly kind: "stream-started";
  readonly version: number;
  /** The id of the session. */
  readonly session: string;
  readonly model: string;
  /** The folder that the agent works in. */
  readonly folder: string;
}
