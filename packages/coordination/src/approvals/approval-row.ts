import type { Answer, ApprovalState, Approvals, AskedQuestion, Question } from "./approvals.ts";

/** A question as every database keeps it, with the names of its columns. */
export type ApprovalRow = Readonly<Record<string, unknown>>;

function toQuestion(row: ApprovalRow): AskedQuestion {
  return {
    sessionId: String(row["session"]),
    callId: String(row["call_id"]),
    tool: String(row["tool"]),
    input: JSON.parse(String(row["input"])),
    ...(row["reason"] === null ? {} : { reason: String(row["reason"]) }),
    ...(row["expires_at_ms"] === null ? {} : { expiresAtMs: Number(row["expires_at_ms"]) }),
    askedAtMs: Number(row["asked_at_ms"]),
  };
}

export function toAnswer(row: ApprovalRow): Answer {
  return {
    decision: row["decision"] as Answer["decision"],
    by: String(row["answered_by"]),
    ...(row["answer_reason"] === null ? {} : { reason: String(row["answer_reason"]) }),
    answeredAtMs: Number(row["answered_at_ms"]),
  };
}

export function toState(row: ApprovalRow, nowMs: number): ApprovalState {
  const question = toQuestion(row);
  if (row["decision"] !== null) return { kind: "answered", question, answer: toAnswer(row) };
  const { expiresAtMs } = question;
  return { kind: expiresAtMs !== undefined && expiresAtMs <= nowMs ? "expired" : "pending", question };
}

/** What is asked, compared with what was asked under the same call. */
export function toAskResult(
  row: ApprovalRow,
  { tool, input }: Question,
  nowMs: number,
): Awaited<ReturnType<Approvals["ask"]>> {
  const state = toState(row, nowMs);
  const isSame = row["tool"] === tool && row["input"] === inputText(input);
  return isSame ? state : { kind: "different", asked: state.question };
}

export function inputText(input: unknown): string {
  return JSON.stringify(input) ?? "null";
}

/** The page of questions in these rows, one more than was asked for if there are more. */
export function toPendingPage(rows: readonly ApprovalRow[], limit: number): Awaited<ReturnType<Approvals["pending"]>> {
  const page = rows.slice(0, limit);
  const questions = page.map(toQuestion);
  const last = page.at(-1);
  return rows.length > limit && last !== undefined ? { questions, next: String(last["number"]) } : { questions };
}
