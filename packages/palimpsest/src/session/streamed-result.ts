import type { ToolResult } from "../log/block.ts";

/** A tool's result that is taken in as it comes: `toolResult(callId, stream)` makes one. */
export interface StreamedResult {
  readonly callId: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** A function is asked when all of it is there. */
  readonly status: ToolResult["status"] | (() => ToolResult["status"]);
}

export function isStreamed(content: unknown): content is StreamedResult {
  return typeof content === "object" && content !== null && "chunks" in content;
}
