import type { Approvals, Question } from "./approvals.ts";

/** What is needed of a session whose turn waits for answers: a session of the engine fits. */
export interface WaitingSession {
  readonly id: string;
  readonly turn: {
    decide(
      callId: string,
      decision: { readonly kind: "allow" | "deny"; readonly by: string; readonly reason?: string },
    ): Promise<unknown>;
  };
}

export interface SettleOptions {
  /** From then on a question counts as denied. @default questions stay open */
  readonly expiresAtMs?: number;
}

/**
 * Puts the questions that a turn waits for to people, and records the answers that are there. Questions of the session that its turn
 * waits for no longer are taken back. Call it when a turn ends with `waiting`, and again when the session is woken: it asks nothing twice.
 * @returns how many answers were recorded: if there are any, the turn continues
 */
export async function settleQuestions(
  session: WaitingSession,
  questions: readonly Question[],
  approvals: Approvals,
  options: SettleOptions = {},
): Promise<number> {
  await withdrawOthers(session.id, new Set(questions.map(({ callId }) => callId)), approvals);
  let answers = 0;
  for (const question of questions) {
    const state = await approvals.ask({ ...options, ...question });
    if (state.kind === "pending") continue;
    const decision =
      state.kind === "answered"
        ? toDecision(state.answer)
        : ({ kind: "deny", by: "nobody", reason: REASONS[state.kind] } as const);
    await session.turn.decide(question.callId, decision);
    answers++;
  }
  return answers;
}

const REASONS = {
  expired: "nobody answered in time",
  different: "the person was asked about another input of this call",
} as const;

function toDecision({ decision, by, reason }: { decision: "allow" | "deny"; by: string; reason?: string }) {
  return reason === undefined ? { kind: decision, by } : { kind: decision, by, reason };
}

async function withdrawOthers(session: string, waiting: ReadonlySet<string>, approvals: Approvals): Promise<void> {
  let after: string | undefined;
  do {
    const page = await approvals.pending(after === undefined ? { session } : { session, after });
    for (const { callId } of page.questions) if (!waiting.has(callId)) await approvals.withdraw(session, callId);
    after = page.next;
  } while (after !== undefined);
}
