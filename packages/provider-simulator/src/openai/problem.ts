import type { Refusal } from "../verdict.ts";

/** A broken rule, in the words of the service. */
export interface Problem {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ProblemDetails {
  /** @default null */
  param?: string | null;
  /** @default null */
  code?: string | null;
  /** @default 400 */
  status?: number;
}

export function invalidRequest(message: string, details: ProblemDetails = {}): Problem {
  const { param = null, code = null, status = 400 } = details;
  return { status, type: "invalid_request_error", message, param, code };
}

// The sentences below are the service's own for a field that is missing, mistyped, unknown or out of range; seen in
// many issue threads, for example openai-python#2720 (unknown), deep-research-py#19 (value), LibreChat#3111 (type).

export function missingParameter(path: string): Problem {
  return invalidRequest(`Missing required parameter: '${path}'.`, { param: path, code: "missing_required_parameter" });
}

export function unknownParameter(path: string): Problem {
  return invalidRequest(`Unknown parameter: '${path}'.`, { param: path, code: "unknown_parameter" });
}

export function invalidValue(path: string, value: string, supported: readonly string[]): Problem {
  const values = listed(supported.map((each) => `'${each}'`));
  const message = `Invalid value: '${value}'. Supported values are: ${values}.`;
  return invalidRequest(message, { param: path, code: "invalid_value" });
}

export function unsupportedParameter(path: string, instead?: string): Problem {
  const advice = instead === undefined ? "" : ` Use '${instead}' instead.`;
  const message = `Unsupported parameter: '${path}' is not supported with this model.${advice}`;
  return invalidRequest(message, { param: path, code: "unsupported_parameter" });
}

export function emptyArray(path: string): Problem {
  const message = `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
  return invalidRequest(message, { param: path, code: "empty_array" });
}

/** Refuses an integer outside its range; anything that is no number is left to the check of types. */
export function checkRange(path: string, value: unknown, range: { min: number; max?: number }): Problem | undefined {
  if (typeof value !== "number") return undefined;
  const { min, max = Number.POSITIVE_INFINITY } = range;
  if (value < min) {
    const message = `Invalid '${path}': integer below minimum value. Expected a value >= ${min}, but got ${value} instead.`;
    return invalidRequest(message, { param: path, code: "integer_below_min_value" });
  }
  if (value > max) {
    const message = `Invalid '${path}': integer above maximum value. Expected a value <= ${max}, but got ${value} instead.`;
    return invalidRequest(message, { param: path, code: "integer_above_max_value" });
  }
  return undefined;
}

/** The body of a broken JSON: one text for every cause, lone surrogates included (opencode#17758). */
export function unparsableBody(): Problem {
  return invalidRequest(
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library " +
      "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble " +
      "figuring out how to fix this, please contact us through our help center at help.openai.com.)",
  );
}

/** 404 on both endpoints (litellm#39457 for Responses). */
export function modelNotFound(id: string): Problem {
  const message = `The model \`${id}\` does not exist or you do not have access to it.`;
  return invalidRequest(message, { status: 404, code: "model_not_found" });
}

export function toRefusal(problem: Problem): Refusal {
  const { status, type, message, param, code, headers = {} } = problem;
  return { kind: "refused", status, headers, body: { error: { message, type, param, code } }, message };
}

function listed(values: readonly string[]): string {
  if (values.length <= 2) return values.join(" and ");
  return `${values.slice(0, -1).join(", ")}, and ${values.at(-1)}`;
}
