import { asCount, asObject } from "../schema/json-fields.ts";

/** Statuses, codes and texts of an error, from every layer that clients and proxies have wrapped around it. */
export interface Gathered {
  readonly texts: string[];
  readonly statuses: number[];
  readonly counts: { inputTokens?: number; limitTokens?: number };
}

/** The fields in which errors keep their codes and texts. No other field is read: the request may contain any text. */
const FIELDS = [
  ...["message", "error", "errors", "cause", "body", "responseBody", "data", "response", "details", "detail"],
  ...["metadata", "raw", "code", "type", "errorCode", "error_code", "name", "status", "statusCode", "reason"],
  ...["$metadata", "$response", "httpStatusCode", "param"],
];
const MAXIMUM_DEPTH = 8;

export function gatherError(error: unknown): Gathered {
  const found: Gathered = { texts: [], statuses: [], counts: {} };
  const seen = new Set<unknown>();
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === "string") {
      found.texts.push(value);
      const inner = parseInside(value);
      if (inner !== undefined && depth < MAXIMUM_DEPTH) walk(inner, depth + 1);
    } else if (typeof value === "number") {
      if (value >= 400 && value < 600) found.statuses.push(value);
    } else if (Array.isArray(value)) {
      for (const element of value) walk(element, depth);
    } else if (asObject(value) !== undefined && !seen.has(value) && depth < MAXIMUM_DEPTH) {
      seen.add(value);
      walkFields(value as Readonly<Record<string, unknown>>, depth + 1);
    }
  };
  const walkFields = (object: Readonly<Record<string, unknown>>, depth: number): void => {
    const inputTokens = asCount(object["n_prompt_tokens"]);
    const limitTokens = asCount(object["n_ctx"]);
    if (inputTokens !== undefined) found.counts.inputTokens = inputTokens;
    if (limitTokens !== undefined) found.counts.limitTokens = limitTokens;
    for (const field of FIELDS) if (object[field] !== undefined) walk(object[field], depth);
  };
  walk(error, 0);
  return found;
}

/** Proxies put the body they received into a text, often after a status or a few words of their own. */
function parseInside(text: string): unknown {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
