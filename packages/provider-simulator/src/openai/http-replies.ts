import type { Fault } from "../faults.ts";
import type { HttpCall } from "../http-face.ts";
import type { Delivery } from "../outcome-of-call.ts";
import { refusalOf } from "../replies.ts";
import type { Refusal } from "../verdict.ts";
import { failureText } from "./failure-text.ts";
import { invalidRequest, type Problem, toRefusal } from "./problem.ts";

/** Properties of a call beside its body. */
export interface OpenAiCall {
  /** Whose key it is: caches never cross accounts. @default "default" */
  readonly account?: string;
}

/**
 * Any key will do, but there must be one. The text as in bilingual_book_maker#137, its first sentence and the newer
 * address at its end from memory; type and code as claude4u.com/en/guide/openai-401-invalid-key-fix has them.
 */
export function checkKey({ headers }: HttpCall): Problem | undefined {
  const key = headers["authorization"]?.replace(/^Bearer\b/i, "").trim() ?? "";
  if (key !== "") return undefined;
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
    "(i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the " +
    "API from your browser and are prompted for a username and password. You can obtain an API key from " +
    "https://platform.openai.com/account/api-keys.";
  return invalidRequest(message, { status: 401 });
}

/** The headers of every response. */
export function requestHeaders(requestId: string): Readonly<Record<string, string>> {
  return { "x-request-id": requestId };
}

/** The refusal a fault amounts to, if it leaves no answer. */
export function faultRefusal(fault: Fault | undefined, delivery: Delivery): Refusal | undefined {
  return refusalOf(fault, delivery, (failure) => toRefusal(failureText(failure)));
}
