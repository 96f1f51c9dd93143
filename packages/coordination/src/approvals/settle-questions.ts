import type { Session } from "palimpsest";
import type { Answer, Approvals, Question } from "./approvals.ts";

/** What is needed of a session whose turn waits for answers. */
export interface WaitingSession {
  readonly id: string;
  readonly turn: Pick<Session["turn"], "next" | "decide">;
}

/** When the questions of a turn expire. */
export interface SettleOptions {
  /** From then on a question counts as denied. @default questions stay open */
  readonly expiresAtMs?: number;
}

/**
 * Puts the questions that a turn waits for to people, and records the answers that are there. Questions of the session that its turn
 * waits for no longer are taken back. Call it when a session is woken, and when its turn ends with `waiting`: it asks nothing twice. A
 * question is known by the key of its call, because some servers use the same call ids again.
 * @returns how many answers were recorded: if there are any, the turn continues
 */
export async function settleQuestions(
  { id, turn }: WaitingSession,
  approvals: Approvals,
  options: SettleOptions = {},
): Promise<number> {
  const next = turn.next();
  const waiting = next.kind === "calls" ? next.calls.filter(({ step }) => step === "waiting") : [];
  await withdrawOthers(id, new Set(waiting.map(({ key }) => key)), approvals);
  let answers = 0;
  for (const { call, key, input = call.input, reason } of waiting) {
    const question: Question = { ...options, sessionId: id, callId: key, tool: call.name, input };
    const state = await approvals.ask(reason === undefined ? question : { ...question, reason });
    if (state.kind === "pending") continue;
    const decision = state.kind === "answered" ? toDecision(state.answer) : DENIALS[state.kind];
    if ((await turn.decide(call.id, decision)) === "recorded") answers++;
  }
  return answers;
}

const DENIALS = {
  expired: { kind: "deny", reason: "nobody answered in time" },
  different: { kind: "deny", reason: "the person was asked about another input of this call" },
} as const;

function toDecision({ decision: kind, by, reason }: Answer) {
  return reason === undefined ? { kind, by } : { kind, by, reason };
}

async function withdrawOthers(session: string, waiting: ReadonlySet<string>, approvals: Approvals): Promise<void> {
  let after: string | undefined;
  do {
    const page = await approvals.pending(after === undefined ? { session } : { session, after });
    for (const { callId } of page.questions) if (!waiting.has(callId)) await approvals.withdraw(session, callId);
    after = page.next;
  } while (after !== undefined);
}
