import { asList, asObject, asString } from "palimpsest/schema";
import { elementsOf, memberOf, membersOf, parseRange, type Range } from "./scan-json.ts";
import type { WireApi } from "./wire-apis.ts";

/** The result of a tool in a request. */
export interface WireResult {
  readonly callId: string;
  /** The value that can be replaced by a text. */
  readonly content: Range;
}

/** Where the results of tools have their call and their content, and what says that it is one. */
const PLACES: Readonly<
  Record<WireApi, { readonly type: readonly [string, string]; readonly call: string; readonly content: string }>
> = {
  messages: { type: ["type", "tool_result"], call: "tool_use_id", content: "content" },
  responses: { type: ["type", "function_call_output"], call: "call_id", content: "output" },
  chat: { type: ["role", "tool"], call: "tool_call_id", content: "content" },
};

/** Finds the results of tools in one message of a request. */
export function findResults(api: WireApi, body: Buffer, item: Range): readonly WireResult[] {
  if (api !== "messages") return toResult(api, body, item);
  const content = memberOf(membersOf(body, item.start) ?? [], "content");
  return (content && elementsOf(body, content.start))?.flatMap((block) => toResult(api, body, block)) ?? [];
}

function toResult(api: WireApi, body: Buffer, block: Range): readonly WireResult[] {
  const { type, call, content: where } = PLACES[api];
  const members = membersOf(body, block.start) ?? [];
  const text = (key: string): string | undefined => {
    const member = memberOf(members, key);
    return member && asString(parseRange(body, member));
  };
  const [callId, content] = [text(call), memberOf(members, where)];
  if (text(type[0]) !== type[1] || callId === undefined || content === undefined) return [];
  return [{ callId, content: { start: content.start, end: content.end } }];
}

/** The text of a result. Undefined: it has more than text, or is not a result. */
export function textOfResult(body: Buffer, content: Range): string | undefined {
  const value = parseRange(body, content);
  if (typeof value === "string") return value;
  const texts = asList(value)?.map((part) => {
    const { type, text } = asObject(part) ?? {};
    return type === "text" || type === "input_text" || type === "output_text" ? asString(text) : undefined;
  });
  return texts === undefined || texts.includes(undefined) ? undefined : texts.join("\n");
}
