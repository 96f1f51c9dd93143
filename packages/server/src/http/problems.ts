/** Where the documentation explains a problem: the type of a problem is an address, by RFC 9457. */
const PAGE = "https://github.com/palimpsest-dev/palimpsest/blob/main/docs/http-api.md#";

/** Everything that the API refuses with. `detail` of a problem says what happened, and what to do. */
export const PROBLEMS = {
  "invalid-request": { status: 400, title: "The request does not fit its schema" },
  unauthorized: { status: 401, title: "A valid token is needed" },
  forbidden: { status: 403, title: "The token lacks a scope" },
  "unknown-path": { status: 404, title: "There is nothing at this address" },
  "no-such-session": { status: 404, title: "There is no such session" },
  "no-such-question": { status: 404, title: "There is no such question" },
  "wrong-method": { status: 405, title: "This address does not take this method" },
  "session-exists": { status: 409, title: "The session exists already" },
  "session-busy": { status: 409, title: "The session is in use" },
  "session-changed": { status: 409, title: "The session was changed by somebody else" },
  "key-used": { status: 409, title: "The idempotency key belongs to another request" },
  "session-cited": { status: 409, title: "Forks need the session" },
  "answered-before": { status: 409, title: "The question is answered already" },
  "question-expired": { status: 410, title: "The question has expired" },
  "body-too-large": { status: 413, title: "The body is too large" },
  "wrong-media-type": { status: 415, title: "The body must be JSON" },
  "not-possible": { status: 422, title: "The session cannot do this" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "too-many-streams": { status: 429, title: "Too many open event streams" },
  internal: { status: 500, title: "The server failed" },
  stopping: { status: 503, title: "The server is stopping" },
  "took-too-long": { status: 504, title: "The operation took too long" },
} as const;

/** The code of a problem, as clients get it. */
export type ProblemCode = keyof typeof PROBLEMS;

/** A refusal, as a value. */
export interface Problem {
  readonly kind: "problem";
  readonly code: ProblemCode;
  /** What happened, and what to do. */
  readonly detail: string;
  /** Sent as `Retry-After`, in whole seconds. */
  readonly retryAfterMs?: number;
  /** More for programs, in the body. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function problem(
  code: ProblemCode,
  detail: string,
  rest: Omit<Problem, "kind" | "code" | "detail"> = {},
): Problem {
  return { kind: "problem", code, detail, ...rest };
}

/** The body of a problem, by RFC 9457. */
export function problemBody({ code, detail, retryAfterMs, more }: Problem, requestId: string): object {
  const { status, title } = PROBLEMS[code];
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { type: `${PAGE}${code}`, title, status, detail, code, requestId, ...retry, ...more };
}
