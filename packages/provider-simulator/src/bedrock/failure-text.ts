import type { Failure } from "../faults.ts";
import type { ServerSentEvent } from "../http-face.ts";
import type { Problem } from "./problem.ts";

/** A failure in the words of the service. */
export function failureText(failure: Failure): Problem {
  if (failure.kind === "status") {
    const { status, type: exception, message, headers = {} } = failure;
    return { status, exception, message, headers };
  }
  const usual = usualWords(failure);
  const { message = usual.message, code = usual.exception, headers } = failure;
  return { ...usual, message, exception: code, headers: { ...usual.headers, ...headers } };
}

function usualWords(failure: Exclude<Failure, { kind: "status" }>): Problem {
  switch (failure.kind) {
    case "rate-limited":
      // claude-code#236. No source shows a time to wait; the client reads this header of any service of this host.
      return {
        status: 429,
        exception: "ThrottlingException",
        message: "Too many tokens, please wait before trying again.",
        headers: { "retry-after": String(failure.retryAfterSeconds) },
      };
    case "spend-limit":
      // The exception is that of the API reference, the words are ours: accounts have quotas, not budgets.
      return {
        status: 400,
        exception: "ServiceQuotaExceededException",
        message: "Your request exceeds the service quota for your account.",
      };
    case "overloaded":
      // claude-code#562.
      return {
        status: 503,
        exception: "ServiceUnavailableException",
        message: "Too many connections, please wait before trying again.",
      };
    case "server-error":
      // From memory, as the next.
      return {
        status: 500,
        exception: "InternalServerException",
        message: "The system encountered an unexpected error during processing. Try your request again.",
      };
    case "timeout":
      return {
        status: 408,
        exception: "ModelTimeoutException",
        message: "Model has timed out in processing the request. Try your request again.",
      };
  }
}

/** The exceptions that a stream can have (API reference of ConverseStream). All others end as an error of the model's stream. */
const IN_STREAM = [
  ...["InternalServerException", "ModelStreamErrorException", "ServiceUnavailableException", "ThrottlingException"],
  "ValidationException",
];

export function toExceptionEvent(failure: Failure): ServerSentEvent {
  const { exception, status, message } = failureText(failure);
  if (IN_STREAM.includes(exception)) {
    return { event: exception[0]!.toLowerCase() + exception.slice(1), data: JSON.stringify({ message }) };
  }
  const data = JSON.stringify({ message, originalStatusCode: status, originalMessage: message });
  return { event: "modelStreamErrorException", data };
}
