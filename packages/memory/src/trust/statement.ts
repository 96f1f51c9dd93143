import type { Block } from "palimpsest";
import { type PassedOver, provenanceOf, type ReadEntry } from "palimpsest/inspect";

/** A statement in a session. `outside`: content of tools, files and pages. */
export interface Statement {
  readonly entry: number;
  readonly by: "user" | "model" | "outside";
  readonly text: string;
}

/** Attachments of this type hold existing memories: learning from them would be circular. */
export const RECALLED = "memory";

/**
 * Returns the text of an entry that memory may be based on. Undefined for texts that nobody said: summaries, the program's own
 * texts, and recalled memories.
 */
export function toStatement(read: ReadEntry | PassedOver): Statement | undefined {
  if (read.kind === "attachment") {
    return read.payload.type === RECALLED ? undefined : saidBy("outside", read.sequence, read.payload.blocks);
  }
  if (read.kind !== "message") return undefined;
  const { origin, blocks } = read.payload;
  // Piped input and imported messages stand where the user speaks, and anybody may have written them.
  if (origin === "human") {
    const isUsers = provenanceOf(read.payload).kind === "user";
    return saidBy(isUsers ? "user" : "outside", read.sequence, blocks);
  }
  if (origin === "model") return saidBy("model", read.sequence, blocks);
  return origin === "tool" || origin === "command" ? saidBy("outside", read.sequence, blocks) : undefined;
}

function saidBy(by: Statement["by"], entry: number, blocks: readonly Block[]): Statement | undefined {
  const text = blocks.map(textOf).filter(Boolean).join("\n");
  return text === "" ? undefined : { entry, by, text };
}

function textOf(block: Block): string {
  if (block.kind === "text") return block.text;
  if (block.kind === "tool_call") return JSON.stringify(block.input);
  if (block.kind !== "tool_result") return "";
  const { content } = block;
  if (typeof content === "string") return content;
  return content.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
}
