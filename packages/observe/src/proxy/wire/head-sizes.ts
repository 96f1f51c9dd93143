import { asObject, asString } from "palimpsest/schema";
import { elementsOf, memberOf, membersOf, parseRange, type Range, skipSpace } from "./scan-json.ts";
import { API_FIELDS, type WireApi } from "./wire-apis.ts";

/** The sizes of what stands before the messages of a request: with them, the analysis says what each tool costs. */
export interface HeadSizes {
  readonly systemBytes: number;
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
}

export function headSizes(api: WireApi, body: Buffer): HeadSizes {
  const members = membersOf(body, skipSpace(body, 0)) ?? [];
  const sizeOf = (key: string): number => {
    const member = memberOf(members, key);
    return member === undefined ? 0 : member.end - member.start;
  };
  const list = memberOf(members, "tools");
  const tools = (list && elementsOf(body, list.start)) ?? [];
  return {
    systemBytes: sizeOf(API_FIELDS[api].system),
    tools: tools.map((range) => ({ name: nameOf(body, range), bytes: range.end - range.start })),
  };
}

/** Chat Completions has the name one level deeper; tools of the service have a type and no name. */
function nameOf(body: Buffer, range: Range): string {
  const tool = asObject(parseRange(body, range)) ?? {};
  const inner = asObject(tool["function"]) ?? {};
  return asString(tool["name"]) ?? asString(inner["name"]) ?? asString(tool["type"]) ?? "unnamed";
}
