import { findLoneSurrogate } from "../../well-formed.ts";
import { invalid, type Problem } from "../problem.ts";

/** The provider's limit for the body of a Messages request. */
const MAXIMUM_BODY_BYTES = 32_000_000;

/** What is refused before anyone looks at the request: a body too large for the edge, or text that is not JSON. */
export function checkBody(json: string): Problem | undefined {
  if (Buffer.byteLength(json) > MAXIMUM_BODY_BYTES) {
    return { status: 413, type: "request_too_large", message: "Request exceeds the maximum size", origin: "edge" };
  }
  const lone = json.includes("\\u") ? findLoneSurrogate(json) : undefined;
  if (lone === undefined) return undefined;
  // The service's parser refuses half a surrogate pair. The wording for a low half was not seen.
  const what = lone.half === "high" ? "no low surrogate in string" : "unexpected low surrogate in string";
  return invalid(`The request body is not valid JSON: ${what}: line 1 column ${lone.index + 1} (char ${lone.index})`);
}

/** Whether a request whose blocks have this size may be too large: JSON writes one byte of text as six at worst. */
export function mayBeTooLarge(blockBytes: number): boolean {
  return blockBytes > MAXIMUM_BODY_BYTES / 6;
}
