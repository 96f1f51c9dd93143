import type { Part, ToolResult } from "../log/block.ts";

/** Returns the content of a result in its shortest form: a single text as a string, and no parts as an empty string. */
export function toContent(parts: readonly Part[]): ToolResult["content"] {
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && only.kind === "text" && only.native === undefined ? only.text : parts;
}
