import type { Part } from "../../log/block.ts";
import { asList, asObject, type JsonObject } from "../../schema/json-fields.ts";

/** Reads content that is a text or a list of parts, each a text or an object; any other part is skipped. */
export function readPartsBy(readPart: (part: JsonObject) => Part): (content: unknown) => Part[] {
  return (content) => {
    if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
    return (asList(content) ?? []).flatMap((value): Part[] => {
      if (typeof value === "string") return [{ kind: "text", text: value }];
      const part = asObject(value);
      return part === undefined ? [] : [readPart(part)];
    });
  };
}
