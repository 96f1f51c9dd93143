/** Replaces the provider's usual text for a failure. */
export interface FailureWording {
  readonly message?: string;
  /** A stable machine code, if the provider sends one. */
  readonly code?: string;
  /** Added to the headers that the provider sends. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why there is no answer: a cause that each provider states in its own form, or a fixed response. */
export type Failure =
  | ({ readonly kind: "rate-limited"; readonly retryAfterSeconds: number } & FailureWording)
  /** No money is left: waiting does not help. */
  | ({ readonly kind: "spend-limit" } & FailureWording)
  | ({ readonly kind: "overloaded" } & FailureWording)
  | ({ readonly kind: "server-error" } & FailureWording)
  | ({ readonly kind: "timeout" } & FailureWording)
  /** Sent unchanged, for every provider. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly code?: string;
    };

/** Ways in which a call fails. Failures come before the model writes; the others break an answer that has begun. */
export type Fault =
  | Failure
  /** An error event inside a stream that began with HTTP 200. Without a stream it is a plain failure. */
  | { readonly kind: "stream-error"; readonly afterEvents: number; readonly failure: Failure }
  /** The stream stops without its last events, closed or reset. Without a stream the connection is reset. */
  | { readonly kind: "stream-cut"; readonly afterEvents: number; readonly how: "closed" | "reset" }
  /** Nothing more arrives for a while in mid-stream. Ignored without a stream: the answer only comes late. */
  | { readonly kind: "stream-stall"; readonly afterEvents: number; readonly forMs: number }
  /** The response arrives as an ordinary event that says it failed (`response.failed`); elsewhere a server error. */
  | { readonly kind: "response-failed"; readonly code: string; readonly message: string }
  /** The connection is reset before any byte of an answer. Nothing is billed then, and nothing is cached. */
  | { readonly kind: "connection-reset" };

export interface RateLimitedOptions {
  /** @default 1 */
  retryAfterSeconds?: number;
  /**
   * Anthropic was seen to send `ramp_limit_exceeded` and `enforced_spend_limit_reached`; waiting never resolves the
   * second. @default the provider's own
   */
  code?: string;
}

/** The rate limit is reached (429). */
export function rateLimited({ retryAfterSeconds = 1, code }: RateLimitedOptions = {}): Fault {
  return { kind: "rate-limited", retryAfterSeconds, code };
}

/** The account's limit of spending is reached. */
export function spendLimitReached(): Fault {
  return { kind: "spend-limit" };
}

/** The service is overloaded, with the status that it uses for that. */
export function overloaded(): Fault {
  return { kind: "overloaded" };
}

/** The service fails (500). */
export function serverError(): Fault {
  return { kind: "server-error" };
}

/** A gateway gives up waiting (504). */
export function gatewayTimeout(): Fault {
  return { kind: "timeout" };
}

/** The overload that arrives as an event after HTTP 200, which no client library retries. */
export function overloadedInStream(afterEvents = 2): Fault {
  return { kind: "stream-error", afterEvents, failure: { kind: "overloaded" } };
}

/** The stream ends in the middle. */
export function cutStream(afterEvents: number, how: "closed" | "reset" = "closed"): Fault {
  return { kind: "stream-cut", afterEvents, how };
}

/** The stream stands still for a while. */
export function stallStream(afterEvents: number, forMs: number): Fault {
  return { kind: "stream-stall", afterEvents, forMs };
}

/** The connection is reset before an answer. */
export function resetConnection(): Fault {
  return { kind: "connection-reset" };
}

/** The model fails after the response has begun. */
export function responseFailed(code = "server_error", message = "The model failed to produce a response."): Fault {
  return { kind: "response-failed", code, message };
}
