import { parseInput } from "palimpsest/provider-parts";
import { asObject, asString } from "palimpsest/schema";

/**
 * An error of the SDK in the form of the other clients, with status, headers and body, by which the engine tells failures apart.
 * Checked by its fields: applications often have several copies of the SDK's classes.
 */
export function toClientError(error: unknown): unknown {
  const fields = asObject(error);
  if (fields === undefined || !("isRetryable" in fields)) return error;
  const { statusCode, responseHeaders, responseBody, data } = fields;
  const headers = asObject(responseHeaders);
  const shaped = {
    status: statusCode,
    headers: headers && new Headers(headers as Record<string, string>),
    error: data ?? parseInput(asString(responseBody) ?? ""),
  };
  return Object.assign(new Error(asString(fields["message"]) ?? "the call failed", { cause: error }), shaped);
}
