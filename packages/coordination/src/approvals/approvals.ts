/** Questions to people that outlive the process that asked. Nobody waits for the answer: it wakes the session. */
export interface Approvals {
  /**
   * Asks, unless this call of the session was asked about before; returns how things stand. At `expiresAtMs` the session is woken.
   * @returns `different`: the call was asked about with another tool or input, so an answer to that question is none to this one
   */
  ask(question: Question): Promise<ApprovalState | { readonly kind: "different"; readonly asked: AskedQuestion }>;
  read(session: string, callId: string): Promise<ApprovalState | { readonly kind: "absent" }>;
  /** Lists open questions, oldest first: of one session, or of all. */
  pending(options?: PendingOptions): Promise<{ readonly questions: readonly AskedQuestion[]; readonly next?: string }>;
  /** Answers a question, once, and wakes the session: both or neither. */
  answer(session: string, callId: string, answer: AnswerDraft): Promise<AnswerOutcome>;
  /** Takes an open question back, if its call waits for no answer any more. Whoever answers it then is told that it is absent. */
  withdraw(session: string, callId: string): Promise<"withdrawn" | "absent" | "answered">;
}

/** What a call of a tool asks. */
export interface Question {
  readonly sessionId: string;
  /** Names the call within its session. `settleQuestions` uses the call's key: some servers use the same call ids again. */
  readonly callId: string;
  readonly tool: string;
  /** JSON: the input that the tool would run with. */
  readonly input: unknown;
  /** Why it is asked, for the person. */
  readonly reason?: string;
  /** From then on the question counts as denied. @default it stays open */
  readonly expiresAtMs?: number;
}

export interface AskedQuestion extends Question {
  readonly askedAtMs: number;
}

/** An answer to a question: the decision, and who made it. */
export interface AnswerDraft {
  readonly decision: "allow" | "deny";
  /** Who answers, for people to read. */
  readonly by: string;
  readonly reason?: string;
}

/** An answer, with its time. */
export interface Answer extends AnswerDraft {
  readonly answeredAtMs: number;
}

/** The state of a question. */
export type ApprovalState =
  | { readonly kind: "pending"; readonly question: AskedQuestion }
  | { readonly kind: "answered"; readonly question: AskedQuestion; readonly answer: Answer }
  | { readonly kind: "expired"; readonly question: AskedQuestion };

/** Which questions to list. */
export interface PendingOptions {
  readonly session?: string;
  /** `next` of the page before. */
  readonly after?: string;
  /** @default 100 */
  readonly limit?: number;
}

/** Whether an answer counts. The first one does. */
export type AnswerOutcome =
  | { readonly kind: "answered" }
  /** Somebody was first; `answer` is what counts. */
  | { readonly kind: "answered-before"; readonly answer: Answer }
  | { readonly kind: "expired"; readonly expiredAtMs: number }
  | { readonly kind: "absent" };

/** How many questions a page has, if nothing else is asked for. */
export const DEFAULT_PENDING_LIMIT = 100;

/** The reason of the reminder that wakes a session when a question expires. */
export const EXPIRED = "a question to a person expired";

/** The key of the reminder that wakes a session when a question expires. */
export function expiryKey(callId: string): string {
  return `approval ${callId}`;
}
