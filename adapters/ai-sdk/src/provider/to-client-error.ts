// Converts errors of the AI SDK to the form of other clients.

import { parseInput } from "palimpsest/provider-parts";
import { asObject, asString } from "palimpsest/schema";

/**
 * Converts an error of the SDK to the form of other clients: the engine classifies failures by status, headers and body.
 * Recognizes the error by its fields, because applications often have several copies of the SDK's classes.
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
