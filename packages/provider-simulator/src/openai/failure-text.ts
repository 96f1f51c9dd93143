import type { Failure } from "../faults.ts";
import type { Problem } from "./problem.ts";

/** A failure in the words of the service. Compatible servers say it in the same words here. */
export function failureText(failure: Failure): Problem {
  if (failure.kind === "status") {
    const { status, type, message, code = null, headers = {} } = failure;
    return { status, type, message, param: null, code, headers };
  }
  const usual = usualWords(failure);
  const { message = usual.message, code = usual.code, headers } = failure;
  return { ...usual, message, code, headers: { ...usual.headers, ...headers } };
}

function usualWords(failure: Exclude<Failure, { kind: "status" }>): Problem {
  switch (failure.kind) {
    case "rate-limited":
      return rateLimit(failure.retryAfterSeconds);
    case "spend-limit":
      // NextChat#3664. It is a 429 like the one above, and the client tries it again all the same.
      return {
        status: 429,
        type: "insufficient_quota",
        message:
          "You exceeded your current quota, please check your plan and billing details. For more information on this " +
          "error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        param: null,
        code: "insufficient_quota",
      };
    case "overloaded":
      // Body as in opencode#25884 and sub2api#6631, where it came as an event; the status as in node-chatgpt-api#34.
      return {
        status: 503,
        type: "service_unavailable_error",
        message: "Our servers are currently overloaded. Please try again later.",
        param: null,
        code: "server_is_overloaded",
      };
    case "server-error":
      // chatgpt-vscode#100, without the request id that its text repeats.
      return {
        status: 500,
        type: "server_error",
        message:
          "The server had an error processing your request. Sorry about that! You can retry your request, or contact " +
          "us through our help center at help.openai.com if you keep seeing this error.",
        param: null,
        code: null,
      };
    case "timeout":
      // The gateway's own, not the service's: promptr#32, llm-graph-builder#561. There the code is the number 524.
      return { status: 524, type: "cf_gateway_timeout", message: "Gateway timeout.", param: null, code: "524" };
  }
}

const LIMIT_TOKENS = 30_000;

/**
 * Text as in continue#10502 (which names a model where this says "this model"), type and code as in aicommits#235. The
 * headers are from memory of the guide to rate limits, and `retry-after` beside them is what the client reads.
 */
function rateLimit(retryAfterSeconds: number): Problem {
  return {
    status: 429,
    type: "tokens",
    message:
      "Rate limit reached for this model in organization org-simulator on tokens per min (TPM): " +
      `Limit ${LIMIT_TOKENS}, Used ${LIMIT_TOKENS}, Requested 1. Please try again in ${retryAfterSeconds}s. ` +
      "Visit https://platform.openai.com/account/rate-limits to learn more.",
    param: null,
    code: "rate_limit_exceeded",
    headers: {
      "retry-after": String(retryAfterSeconds),
      "x-ratelimit-limit-requests": "500",
      "x-ratelimit-remaining-requests": "499",
      "x-ratelimit-reset-requests": "120ms",
      "x-ratelimit-limit-tokens": String(LIMIT_TOKENS),
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": `${retryAfterSeconds}s`,
    },
  };
}
