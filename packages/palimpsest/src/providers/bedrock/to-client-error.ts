import { asObject, asString } from "../../schema/json-fields.ts";

/**
 * Statuses by which failures are told apart: an exception inside a stream has none, and two failures of the model have one that says
 * less than their name. Their documentation asks to send the request again.
 */
const STATUSES: Readonly<Record<string, number>> = {
  InternalServerException: 500,
  ModelErrorException: 502,
  ModelNotReadyException: 503,
  ModelStreamErrorException: 502,
  ModelTimeoutException: 504,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  ValidationException: 400,
};

/** Codes of connections that failed: of the system, and of HTTP/2. */
const CONNECTION =
  /^(?:E(?:CONN|PIPE|NOTFOUND|AI_AGAIN|HOST|NET|TIMEDOUT|ADDR)|ERR_(?:HTTP2|STREAM|SOCKET|SSL|TLS)|UND_ERR)/;

/** An error of the client in the form of the other clients, with status, headers and body, by which failures are told apart. */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  const { $metadata, $response, $fault, code } = error as Error & Record<string, unknown>;
  const answered = asObject($metadata)?.["httpStatusCode"];
  const status = STATUSES[error.name] ?? answered;
  if (typeof status === "number" && ($fault !== undefined || answered !== undefined)) {
    const headers = new Headers(stringsOf(asObject(asObject($response)?.["headers"]) ?? {}));
    return Object.assign(new Error(error.message, { cause: error }), { status, headers, type: error.name });
  }
  const isConnection = CONNECTION.test(asString(code) ?? "") || error.name === "TimeoutError";
  if (!isConnection) return error;
  return Object.assign(new Error(error.message, { cause: error }), { status: undefined, headers: undefined });
}

function stringsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  // The headers of HTTP/2 include its own fields, which are no names of headers.
  const own = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}
