import type { Failure } from "../faults.ts";
import type { Refusal } from "../verdict.ts";
import { type Problem, toRefusal } from "./problem.ts";

/** A failure in the words of the service. The time to wait stands in the body, not in a header. */
export function failureRefusal(failure: Failure): Refusal {
  const problem = toProblem(failure);
  return { ...toRefusal(problem), headers: failure.headers ?? {} };
}

function toProblem(failure: Failure): Problem {
  if (failure.kind === "status") {
    const { status, type, message } = failure;
    return { code: status, status: type, message };
  }
  const usual = usualWords(failure);
  const { message = usual.message, code = usual.status } = failure;
  return { ...usual, message, status: code };
}

const QUOTA =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: " +
  "https://ai.google.dev/gemini-api/docs/rate-limits. To monitor your current usage, head to: https://ai.dev/rate-limit. ";

const HELP = {
  "@type": "type.googleapis.com/google.rpc.Help",
  links: [
    {
      description: "Learn more about Gemini API quotas",
      url: "https://ai.google.dev/gemini-api/docs/rate-limits",
    },
  ],
};

function usualWords(failure: Exclude<Failure, { kind: "status" }>): Problem {
  switch (failure.kind) {
    case "rate-limited":
      return rateLimit(failure.retryAfterSeconds);
    case "spend-limit":
      // The same status and text, without a time to wait (gemini-for-kubernetes-development#1215).
      return { code: 429, status: "RESOURCE_EXHAUSTED", message: QUOTA, details: [HELP] };
    case "overloaded":
      // gemini-cli#5191.
      return { code: 503, status: "UNAVAILABLE", message: "The model is overloaded. Please try again later." };
    case "server-error":
      // From memory, as the next.
      return {
        code: 500,
        status: "INTERNAL",
        message:
          "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
      };
    case "timeout":
      return {
        code: 504,
        status: "DEADLINE_EXCEEDED",
        message: "The request timed out. Please try again.",
      };
  }
}

/** mcp-server-browserbase#129, with its details. */
function rateLimit(retryAfterSeconds: number): Problem {
  const quotaMetric = "generativelanguage.googleapis.com/generate_content_paid_tier_input_token_count";
  return {
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: `${QUOTA}\n* Quota exceeded for metric: ${quotaMetric}, limit: 4000000\nPlease retry in ${retryAfterSeconds}s.`,
    details: [
      HELP,
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [
          {
            quotaMetric,
            quotaId: "GenerateContentPaidTierInputTokensPerModelPerMinute",
            quotaDimensions: { location: "global" },
            quotaValue: "4000000",
          },
        ],
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterSeconds}s` },
    ],
  };
}
