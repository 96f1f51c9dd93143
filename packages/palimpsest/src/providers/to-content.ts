import type { Part, ToolResult } from "../log/block.ts";

/** What a result holds, in one form for one thing: a single text is a string, and nothing is an empty one. */
export function toContent(parts: readonly Part[]): ToolResult["content"] {
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && only.kind === "text" && only.native === undefined ? only.text : parts;
}
