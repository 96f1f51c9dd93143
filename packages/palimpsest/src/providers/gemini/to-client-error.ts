import { asList, asObject, asString } from "../../schema/json-fields.ts";
import { parseInput } from "../parse-input.ts";

/**
 * An error of the client in the form of the other clients, with status, headers and body, by which failures are told apart. The
 * body is in its message, and the time to wait is in the body. A call that never reached the service is an error of `fetch`.
 */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "ApiError") {
    const text = error.message;
    const body = asObject(parseInput(text.slice(Math.max(0, text.indexOf("{")))));
    const waitMs = readRetryDelayMs(asObject(body?.["error"])?.["details"]);
    const headers = new Headers(waitMs === undefined ? {} : { "retry-after-ms": String(waitMs) });
    const { status } = error as Error & { status?: unknown };
    const message = asString(asObject(body?.["error"])?.["message"]) ?? text;
    const code = status === 429 && waitMs === undefined && SPENT.test(message) ? "insufficient_quota" : undefined;
    return Object.assign(new Error(message, { cause: error }), { status, headers, error: body, code });
  }
  if (error.name !== "TypeError" || !/fetch|network|load failed/i.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { status: undefined, headers: undefined });
}

/** With this text, and without a time to wait, the quota of the day or the money is spent: waiting does not help. */
const SPENT = /check your plan and billing/i;

/** `google.rpc.RetryInfo` has a duration in seconds: "47.4s". */
function readRetryDelayMs(details: unknown): number | undefined {
  for (const detail of asList(details) ?? []) {
    const seconds = /^([\d.]+)s$/.exec(asString(asObject(detail)?.["retryDelay"]) ?? "")?.[1];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return undefined;
}
