import { rememberFrozen } from "../../remember-frozen.ts";
import { findLoneSurrogate, type JsonReading, MAXIMUM_DEPTH, readStrictly, StrictReader } from "../../well-formed.ts";
import { invalid, type Problem } from "../problem.ts";
import { isRecord, type JsonRecord } from "./shape.ts";

/** The provider's limit for the body of a Messages request. */
const MAXIMUM_BODY_BYTES = 32_000_000;

/** Refuses a body before the request is read: a body too large for the edge, or text that is not JSON. */
export function checkBody(json: string): Problem | undefined {
  if (Buffer.byteLength(json) > MAXIMUM_BODY_BYTES) {
    return { status: 413, type: "request_too_large", message: "Request exceeds the maximum size", origin: "edge" };
  }
  const lone = json.includes("\\u") ? findLoneSurrogate(json) : undefined;
  if (lone === undefined) return undefined;
  // The parser's own words; only those for a high half were seen in an answer of the service.
  const what = lone.half === "high" ? "no low surrogate in string" : "invalid high surrogate in string";
  return notJson(`${what}: line 1 column ${lone.index + 1} (char ${lone.index})`);
}

/** Finds in a value what `checkBody` would find in its text, and nesting that no parser follows. */
export type ValueCheck = (value: unknown) => Problem | undefined;

/** The text is written out only if it must be wrong or may be too large; what cannot change is read once. */
export function createValueCheck(): ValueCheck {
  // How deep each stands: a block is inside a list of content, a message, the list of messages and the body.
  const readBlock = rememberFrozen((block: object) => readStrictly(block, 4));
  const content = new Map([["content", readBlock]]);
  const readMessage = rememberFrozen((message: object) => readFields(message, content, 2));
  const readDefinition = rememberFrozen((definition: object) => readStrictly(definition, 2));
  const lists = new Map([
    ["messages", readMessage],
    ["tools", readDefinition],
    ["system", readDefinition],
  ]);

  return (value) => {
    const { size, flaw } = isRecord(value) ? readFields(value, lists, 0) : readStrictly(value);
    if (flaw === "too-deep") return notJson(`recursion limit of ${MAXIMUM_DEPTH} levels exceeded`);
    return flaw !== undefined || size > MAXIMUM_BODY_BYTES / 6 ? checkBody(JSON.stringify(value)) : undefined;
  };
}

type Read = (member: object) => JsonReading;

/** Reads the members of some lists in their own way, and everything else as it is. */
function readFields(value: object, lists: ReadonlyMap<string, Read>, depth: number): JsonReading {
  const reader = new StrictReader();
  for (const field in value) {
    reader.read(field, depth);
    const member: unknown = (value as JsonRecord)[field];
    const read = Array.isArray(member) ? lists.get(field) : undefined;
    if (read === undefined) reader.read(member, depth + 1);
    else {
      for (const one of member as unknown[]) {
        if (isRecord(one)) reader.add(read(one));
        else reader.read(one, depth + 2);
      }
    }
  }
  return reader;
}

/** Nesting was never seen to be refused: the status is that of any text that cannot be parsed, the wording is ours. */
function notJson(what: string): Problem {
  return invalid(`The request body is not valid JSON: ${what}`);
}
