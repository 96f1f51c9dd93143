import type { LedgerTotals, QueryEvent, QueryOutcome } from "palimpsest";
import { EXIT } from "./exit-codes.ts";
import type { DeniedCall } from "./headless-permission.ts";
import { noticeOf } from "./notice-text.ts";
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
  readonly exitCode: number;
}

export type OutputFormat = "text" | "json" | "stream-json";

export interface TurnReport {
  event(event: QueryEvent): Promise<void>;
  result(result: TurnResult): Promise<void>;
}

/** Sums up a turn. */
export function toResult(session: string, outcome: TurnOutcome, denied: readonly DeniedCall[]): TurnResult {
  const problem = problemOf(outcome);
  return {
    ...{ kind: "result", session, outcome: outcome.kind, text: "text" in outcome ? outcome.text : "" },
    ...(problem === undefined ? {} : { problem }),
    ...{ rounds: outcome.rounds, usage: outcome.usage, denied, exitCode: exitCodeOf(outcome, denied) },
  };
}

function exitCodeOf({ kind }: TurnOutcome, denied: readonly DeniedCall[]): number {
  if (kind === "done") return denied.length === 0 ? EXIT.done : EXIT.refused;
  if (kind === "refused") return EXIT.refused;
  if (kind === "rounds-used-up") return EXIT.roundsUsedUp;
  if (kind === "budget-used-up") return EXIT.budgetUsedUp;
  return kind === "aborted" ? EXIT.interrupted : EXIT.failed;
}

function problemOf(outcome: TurnOutcome): string | undefined {
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
    case "window-full":
      return outcome.advice;
    case "failed":
      return [outcome.error.message, outcome.advice].filter(Boolean).join(" ");
  }
}

/**
 * Text: the answer on the standard output, what happens on the standard error. JSON: one object at the end. Stream: every
 * event as it comes, one line each.
 */
export function createReport(format: OutputFormat, { print, say }: Terminal): TurnReport {
  switch (format) {
    case "stream-json":
      return { event: (event) => print(toJson(event)), result: (result) => print(toJson(result)) };
    case "json":
      return { event: async () => {}, result: (result) => print(toJson(result)) };
    case "text":
      return {
        async event(event) {
          const line = eventLine(event);
          if (line !== undefined) say(line, "faint");
        },
        async result({ text, problem, denied }) {
          if (text !== "") await print(text);
          for (const { tool, input, reason, allowedBy } of denied) {
            const how = allowedBy.map((rule) => `--allow '${rule}'`).join(" ");
            const hint = how === "" ? "" : ` To allow it: ${how}`;
            say(`not allowed: ${tool} ${short(input)}: ${reason}${hint}`, "warning");
          }
          if (problem !== undefined) say(problem, "warning");
        },
      };
  }
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
