import type { QueryEvent, QueryOutcome, SessionEvent } from "palimpsest";
import type { LedgerTotals } from "palimpsest/core";
import type { EventOwner } from "../agent/event-owner.ts";
import type { DeniedCall } from "../permissions/headless-permission.ts";
import { EXIT } from "./exit-codes.ts";
import { noticeOf } from "./notice-text.ts";
import type { Notice, Surface } from "./notices/notice.ts";
import type { Terminal } from "./terminal.ts";

/** How a turn ended: by itself, or because enough was spent. */
export type TurnOutcome = QueryOutcome | BudgetUsedUp;

interface BudgetUsedUp extends Pick<QueryOutcome, "rounds" | "usage"> {
  readonly kind: "budget-used-up";
  /** Since the program was started. */
  readonly spentUsd: number;
}

/** How a turn ended, as `--output-format json` prints it. */
export interface TurnResult {
  readonly kind: "result";
  readonly session: string;
  readonly outcome: TurnOutcome["kind"];
  readonly text: string;
  /** What went wrong, and what can be done. */
  readonly problem?: string;
  readonly rounds: number;
  readonly usage: LedgerTotals;
  readonly denied: readonly DeniedCall[];
  /** What the person was told since the result before: the lines that are also on the standard error. */
  readonly notices: readonly string[];
  readonly exitCode: number;
}

export type OutputFormat = "text" | "json" | "stream-json";

export interface TurnReport {
  /** The program ends: says what is left to do, if something is. */
  end(): void;
  event(event: ReportedEvent): Promise<void>;
  /** Tells the person something that is no event. */
  notice(notice: Notice): void;
  result(result: Omit<TurnResult, "notices">): Promise<void>;
}

/** What happens in a turn, in the session between turns, and in its agents. */
export type ReportedEvent = Exclude<QueryEvent, { readonly kind: "session-event" }> | ReportedSessionEvent;

interface ReportedSessionEvent {
  readonly kind: "session-event";
  readonly event: SessionEvent;
  /** @default the session itself */
  readonly owner?: EventOwner;
}

/** Sums up a turn. */
export function toResult(
  session: string,
  outcome: TurnOutcome,
  denied: readonly DeniedCall[],
): Omit<TurnResult, "notices"> {
  const problem = problemOf(outcome, "command-line");
  return {
    kind: "result",
    session,
    outcome: outcome.kind,
    text: "text" in outcome ? outcome.text : "",
    ...(problem === undefined ? {} : { problem }),
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
  return kind === "aborted" ? EXIT.interrupted : EXIT.failed;
}

/** What went wrong in a turn, and what can be done. */
export function problemOf(outcome: TurnOutcome, surface: Surface): string | undefined {
  switch (outcome.kind) {
    case "done":
      return outcome.stop === "length" ? "The answer was cut at its length limit." : undefined;
    case "refused":
      return "The model declined to answer.";
    case "aborted":
      return "Aborted. The session is kept: palimpsest --continue -p ... goes on.";
    case "rounds-used-up":
      return `Stopped after ${outcome.rounds} rounds, before the model was done. palimpsest --continue goes on.`;
    case "budget-used-up":
      return `Stopped after $${outcome.spentUsd.toFixed(4)}, before the model was done. palimpsest --continue goes on.`;
    case "window-full": {
      const [size, most] = [outcome.sizeTokens, outcome.blockingTokens].map((tokens) => tokens.toLocaleString("en-US"));
      const [compact, rewind] =
        surface === "terminal" ? ["/compact", "/rewind"] : ["palimpsest compact", "palimpsest rewind"];
      return (
        `The window is full: about ${size} tokens, and from ${most} on there is no room for an answer. ` +
        `Compact with ${compact}, go back with ${rewind}, or use a model with a larger window.`
      );
    }
    case "failed":
      return [outcome.error.message, outcome.advice].filter(Boolean).join(" ");
  }
}

/**
 * Text: the answer on the standard output, what happens on the standard error. JSON: one object at the end. Stream: every
 * event as it comes, one line each. Notices go to the standard error and into the result, whatever the format; in a stream
 * their events stand instead.
 */
export function createReport(format: OutputFormat, { print, say }: Terminal): TurnReport {
  const told = new Set<string>();
  let notices: string[] = [];
  /** The session that waits for a compaction. */
  let due: string | undefined;

  function note({ text, weight, once }: Notice, where: "aloud" | "result-only"): void {
    if (once !== undefined && told.has(once)) return;
    if (once !== undefined) told.add(once);
    notices.push(text);
    if (where === "aloud") say(text, weight === "problem" ? "warning" : "faint");
  }

  return {
    notice: (notice) => note(notice, "aloud"),
    end() {
      if (due !== undefined) say(`A compaction is due: palimpsest compact --session ${due.slice(0, 8)}`, "warning");
    },
    async event(event) {
      if (event.kind === "session-event" && event.owner === undefined) due = dueAfter(event.event, due);
      const notice = event.kind === "session-event" ? noticeOf(event.event, "command-line", event.owner) : undefined;
      if (notice !== undefined) note(notice, format === "stream-json" ? "result-only" : "aloud");
      if (format === "stream-json") return print(toJson(event));
      const line = format === "text" && event.kind !== "session-event" ? eventLine(event) : undefined;
      if (line !== undefined) say(line, "faint");
    },
    async result(result) {
      const whole: TurnResult = { ...result, notices };
      notices = [];
      if (format !== "text") return print(toJson(whole));
      if (whole.text !== "") await print(whole.text);
      for (const { tool, input, reason, allowedBy } of whole.denied) {
        const how = allowedBy.map((rule) => `--allow '${rule}'`).join(" ");
        const hint = how === "" ? "" : ` To allow it: ${how}`;
        say(`not allowed: ${tool} ${short(input)}: ${reason}${hint}`, "warning");
      }
      if (whole.problem !== undefined) say(whole.problem, "warning");
    },
  };
}

function dueAfter(event: SessionEvent, due: string | undefined): string | undefined {
  if (event.kind === "compaction-due") return event.session;
  return event.kind === "compaction-ended" && event.outcome.kind === "compacted" ? undefined : due;
}

/** What happens, in a line for people; undefined if it is of no interest to them. */
export function eventLine(event: QueryEvent): string | undefined {
  switch (event.kind) {
    case "tool-started":
      return `> ${event.call.name} ${short(event.input)}`;
    case "retry-waiting":
      return retryText(event);
    case "notice":
      return event.text;
    case "session-event":
      return noticeOf(event.event, "command-line")?.text;
    default:
      return undefined;
  }
}

/** Why a call failed, and when it is made again. */
export function retryText({ message, waitMs }: Extract<QueryEvent, { kind: "retry-waiting" }>): string {
  return `${message.replace(/\.$/, "")}. Retrying in ${Math.ceil(waitMs / 1_000)} s.`;
}

const SHORT_CHARACTERS = 100;

/** An input in one line. */
function short(input: unknown): string {
  const fields = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const { command, file_path, path, pattern, description } = fields;
  const main = [command, file_path, pattern, path, description].find((value) => typeof value === "string");
  const text = (main ?? JSON.stringify(input) ?? "").replaceAll(/\s+/g, " ");
  return text.length > SHORT_CHARACTERS ? `${text.slice(0, SHORT_CHARACTERS - 1)}…` : text;
}

/** Errors have nothing that JSON would show by itself. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member instanceof Error ? { name: member.name, message: member.message } : member,
  );
}
