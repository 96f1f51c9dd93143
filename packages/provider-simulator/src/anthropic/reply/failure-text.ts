import type { Failure } from "../../faults.ts";
import type { Problem } from "../problem.ts";

/** A failure in the provider's words: types and statuses as its client knows them, messages as its guides show them. */
export function failureText(failure: Failure): Problem {
  if (failure.kind === "status") {
    const { kind: _, ...problem } = failure;
    return problem;
  }
  const usual = usualWords(failure);
  const { message = usual.message, code = usual.code, headers } = failure;
  return { ...usual, message, headers: { ...usual.headers, ...headers }, code };
}

function usualWords(failure: Exclude<Failure, { kind: "status" }>): Problem {
  switch (failure.kind) {
    case "rate-limited":
      return {
        status: 429,
        type: "rate_limit_error",
        message: "This request would exceed your organization's rate limit. Please try again later.",
        headers: { "retry-after": String(failure.retryAfterSeconds) },
      };
    case "spend-limit":
      return {
        status: 429,
        type: "rate_limit_error",
        message: "The spend limit of this workspace is reached.",
        headers: { "x-should-retry": "false" },
        code: "enforced_spend_limit_reached",
      };
    case "overloaded":
      return { status: 529, type: "overloaded_error", message: "Overloaded" };
    case "server-error":
      return { status: 500, type: "api_error", message: "Internal server error" };
    case "timeout":
      return { status: 504, type: "timeout_error", message: "The request timed out." };
  }
}
