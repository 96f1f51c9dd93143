/** Ways a call fails. Status faults come before the model speaks; the others break an answer that had begun. */
export type Fault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Stable machine code, where the provider gives one. */
      readonly code?: string;
    }
  /** An error event inside a stream that began with HTTP 200. Sent as a plain status if the call does not stream. */
  | { readonly kind: "stream-error"; readonly afterEvents: number; readonly type: string; readonly message: string }
  /** The stream stops without its last events: cleanly closed, or with the connection reset. */
  | { readonly kind: "stream-cut"; readonly afterEvents: number; readonly how: "closed" | "reset" }
  /** Nothing more arrives for a while in mid-stream. */
  | { readonly kind: "stream-stall"; readonly afterEvents: number; readonly forMs: number }
  /** The response arrives as an ordinary event that says it failed (`response.failed`). */
  | { readonly kind: "response-failed"; readonly code: string; readonly message: string }
  /** The connection is reset before any byte of an answer. */
  | { readonly kind: "connection-reset" };

export interface RateLimitedOptions {
  /** @default 1 */
  retryAfterSeconds?: number;
  /** `ramp_limit_exceeded` and `enforced_spend_limit_reached` are the two codes seen; the second never heals by waiting. */
  code?: string;
}

export function rateLimited({ retryAfterSeconds = 1, code }: RateLimitedOptions = {}): Fault {
  return {
    kind: "status",
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your organization's rate limit. Please try again later.",
    headers: { "retry-after": String(retryAfterSeconds) },
    ...(code === undefined ? {} : { code }),
  };
}

export function spendLimitReached(): Fault {
  return {
    kind: "status",
    status: 429,
    type: "rate_limit_error",
    message: "The spend limit of this workspace is reached.",
    headers: { "x-should-retry": "false" },
    code: "enforced_spend_limit_reached",
  };
}

export function overloaded(): Fault {
  return { kind: "status", status: 529, type: "overloaded_error", message: "Overloaded" };
}

export function serverError(): Fault {
  return { kind: "status", status: 500, type: "api_error", message: "Internal server error" };
}

export function gatewayTimeout(): Fault {
  return { kind: "status", status: 504, type: "timeout_error", message: "The request timed out." };
}

/** The overload that arrives as an event after HTTP 200, which no client library retries. */
export function overloadedInStream(afterEvents = 2): Fault {
  return { kind: "stream-error", afterEvents, type: "overloaded_error", message: "Overloaded" };
}

export function cutStream(afterEvents: number, how: "closed" | "reset" = "closed"): Fault {
  return { kind: "stream-cut", afterEvents, how };
}

export function stallStream(afterEvents: number, forMs: number): Fault {
  return { kind: "stream-stall", afterEvents, forMs };
}

export function resetConnection(): Fault {
  return { kind: "connection-reset" };
}

export function responseFailed(code = "server_error", message = "The model failed to produce a response."): Fault {
  return { kind: "response-failed", code, message };
}
