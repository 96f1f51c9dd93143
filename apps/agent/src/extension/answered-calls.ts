import type { Store, ToolCall, ToolResult } from "palimpsest";
import { readPayload } from "palimpsest/inspect";

/** A tool call that succeeded, with its result as text. */
interface AnsweredCall {
  readonly call: ToolCall;
  readonly text: string;
}

/** How many entries to read at once, and in total. Older entries do not matter. */
const CHUNK_ENTRIES = 500;
const MAX_ENTRIES = 50_000;

/**
 * The successful tool calls on the current branch of a session, newest first. They are read from the log on each call,
 * so that the result is correct after a resume or a rewind.
 */
export async function* answeredCalls(store: Store, session: string): AsyncGenerator<AnsweredCall> {
  const reader = await store.openReader(session);
  if (reader === undefined) return;
  try {
    const answers = new Map<string, string>();
    let at = (await reader.head()).sequence;
    for (let looked = 0; at > 0 && looked < MAX_ENTRIES; looked += CHUNK_ENTRIES) {
      const from = Math.max(1, at - CHUNK_ENTRIES + 1);
      const chunk = await reader.read(from, at);
      while (at >= from) {
        const entry = chunk[at - from]!;
        // A rewind entry points to the entry before the rewound ones.
        at = entry.parent;
        const read = readPayload(entry);
        if (read.kind !== "message") continue;
        for (const block of read.payload.blocks.toReversed()) {
          if (block.kind === "tool_result" && block.status === "ok") answers.set(block.callId, textOf(block));
          const text = block.kind === "tool_call" ? answers.get(block.id) : undefined;
          if (block.kind !== "tool_call" || text === undefined) continue;
          // Some servers reuse call ids, so a result belongs to the call directly before it.
          answers.delete(block.id);
          yield { call: block, text };
        }
      }
    }
  } finally {
    await reader.close();
  }
}

function textOf({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
