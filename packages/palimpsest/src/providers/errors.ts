import { asObject, asString } from "../schema/json-fields.ts";
import { readMediaRefusal } from "./media-refusal.ts";
import { readOverflow } from "./overflow.ts";
import { ProviderError, type ProviderFailure } from "./provider.ts";

/** Converts any error from a client into a ProviderError, with the cause of the failure in one form for all providers. */
export function toProviderError(error: unknown, call: FailedCall): ProviderError {
  if (ProviderError.isInstance(error)) return error;
  const failure = readFailure(error, call);
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderError(call.provider, failure, message, { cause: error });
}

/** The call that failed. */
export interface FailedCall {
  readonly provider: string;
  /** `stream`: the response had begun, so the failure has no HTTP status. */
  readonly phase: "call" | "stream";
  readonly signal: AbortSignal | undefined;
}

function readFailure(error: unknown, { phase, signal }: FailedCall): ProviderFailure {
  if (signal?.aborted || isAbort(error)) return { kind: "aborted" };
  // Checked before overflow: a text that is too long may be an image.
  const media = readMediaRefusal(error);
  if (media !== undefined) return media;
  const overflow = readOverflow(error);
  if (overflow !== undefined) return overflow;
  const { status, headers, types } = readErrorFacts(error);
  const hasType = (known: readonly string[]): boolean => types.some((type) => known.includes(type));
  const refused: ProviderFailure = { kind: "refused", status };
  if (hasType(SPENT_CODES) || headers?.get("x-should-retry") === "false") return refused;
  const retryAfterMs = readRetryAfterMs(headers);
  const hint = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 429 || hasType(RATE_TYPES)) return { kind: "rate-limited", ...hint };
  if (hasType(OVERLOAD_TYPES)) return { kind: "overloaded", ...hint };
  if (status !== undefined)
    return status >= 500 || PASSING_STATUSES.includes(status) ? { kind: "overloaded", ...hint } : refused;
  if (phase === "stream") return types.length > 0 && !hasType(SERVER_TYPES) ? refused : { kind: "broken-stream" };
  return isConnection(error) ? { kind: "unreachable" } : refused;
}

/** Codes of spent money or quota. Waiting does not help. */
const SPENT_CODES: readonly string[] = [
  "enforced_spend_limit_reached",
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
];

const RATE_TYPES: readonly string[] = ["rate_limit_error", "rate_limit_exceeded", "too_many_requests"];

const OVERLOAD_TYPES: readonly string[] = ["overloaded_error", "server_is_overloaded", "overloaded", "slow_down"];

/** Types of server errors that arrive in the middle of a stream, without a status. */
const SERVER_TYPES: readonly string[] = ["api_error", "server_error", "timeout_error", "internal_error"];

/** Temporary failures, which client libraries retry: timeout, conflict with another call, too early. */
const PASSING_STATUSES: readonly number[] = [408, 409, 425];

/**
 * Reads an error from a client. Clients keep the response body in `error`; some keep only its inner object.
 */
function readErrorFacts(error: unknown): ErrorFacts {
  const { status, headers, type, code, errorCode, error: body } = asObject(error) ?? {};
  const inner = asObject(asObject(body)?.["error"]) ?? asObject(body) ?? {};
  const types = [type, code, errorCode, inner["type"], inner["code"]]
    .map(asString)
    .filter((name) => name !== undefined);
  return {
    status: typeof status === "number" ? status : undefined,
    headers: typeof asObject(headers)?.["get"] === "function" ? (headers as HeaderSource) : undefined,
    types,
  };
}

interface ErrorFacts {
  readonly status: number | undefined;
  readonly headers: HeaderSource | undefined;
  /** The provider's types and codes for the cause. */
  readonly types: readonly string[];
}

/** Response headers: `Headers` from a client, or any object with the same `get`. */
interface HeaderSource {
  get(name: string): string | null;
}

/**
 * Returns the wait that the server requests: `retry-after-ms`, or `retry-after` in seconds or as a date. A date is
 * compared with the server's own clock, from its `date` header.
 */
export function readRetryAfterMs(headers: HeaderSource | undefined): number | undefined {
  const exactMs = toMs(headers?.get("retry-after-ms"), 1);
  if (exactMs !== undefined) return exactMs;
  const value = headers?.get("retry-after");
  const seconds = toMs(value, 1_000);
  if (seconds !== undefined) return seconds;
  const waitMs = Date.parse(value ?? "") - Date.parse(headers?.get("date") ?? "");
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

function toMs(text: string | null | undefined, unitMs: number): number | undefined {
  const value = text?.trim() ? Number(text) * unitMs : Number.NaN;
  return Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/**
 * Recognizes a connection error by its fields: every client error has `status` and `headers`, and both are undefined if
 * the connection failed. Checking the class would load a client, and minifying an application changes class names.
 */
function isConnection(error: unknown): boolean {
  return error instanceof Error && "status" in error && "headers" in error && error.headers === undefined;
}
