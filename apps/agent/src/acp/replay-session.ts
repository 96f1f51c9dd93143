import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import type { Block, ToolCall } from "palimpsest";
import { readPayload } from "palimpsest/inspect";
import { sanitize } from "palimpsest/sanitize";
import type { Entry, LogReader } from "palimpsest/store-parts";
import { TODO } from "../extensions/todos/todos-extension.ts";
import { changeOf, readStanding } from "../workspace/read-transcript.ts";
import { describeCall, diffContent, textContent } from "./describe-call.ts";
import { toPlan } from "./session-updates.ts";

/**
 * Replays leave out old entries and most tool output, because editors fail on long replays. The model still has
 * everything.
 */
const MOST_ENTRIES = 2_000;
const OUTPUT_CHARACTERS = 500;

/** Replays the conversation of a stored session as updates, oldest first. */
export async function replaySession(log: LogReader, folder: string): Promise<readonly SessionUpdate[]> {
  return toUpdates(await readStanding(log, MOST_ENTRIES), folder);
}

type Result = Extract<Block, { readonly kind: "tool_result" }>;

/** Converts entries to updates. Pure. Every call gets an end, because an editor would wait for it. */
function toUpdates(entries: readonly Entry[], folder: string): readonly SessionUpdate[] {
  const messages = entries.flatMap((entry) => {
    const read = readPayload(entry);
    return read.kind === "message" ? [{ ...read.payload, id: `entry-${entry.sequence}` }] : [];
  });
  const results = new Map(
    messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "tool_result" ? [[block.callId, block] as const] : [])),
    ),
  );
  return messages.flatMap(({ origin, blocks, id }) => {
    if (origin === "human") return blocks.flatMap((block) => chunk("user_message_chunk", block, id));
    if (origin !== "model") return [];
    return blocks.flatMap((block): readonly SessionUpdate[] => {
      if (block.kind === "thinking") return chunk("agent_thought_chunk", block, id);
      if (block.kind !== "tool_call") return chunk("agent_message_chunk", block, id);
      return block.name === TODO ? [toPlan(block.input)] : [toCall(block, results.get(block.id), folder)];
    });
  });
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

function chunk(sessionUpdate: ChunkKind, block: Block, messageId: string): readonly SessionUpdate[] {
  const text = block.kind === "text" || block.kind === "thinking" ? block.text : `[${block.kind}]`;
  return text === "" ? [] : [{ sessionUpdate, messageId, content: { type: "text", text: sanitize(text) } }];
}

function toCall(call: ToolCall, result: Result | undefined, folder: string): SessionUpdate {
  const change = result?.status === "ok" ? changeOf(call) : undefined;
  return {
    sessionUpdate: "tool_call",
    toolCallId: call.id,
    status: result?.status === "ok" ? "completed" : "failed",
    ...describeCall(call.name, call.input, folder),
    content: change === undefined ? outputOf(result) : [diffContent(change, folder)],
  };
}

function outputOf(result: Result | undefined): ToolCallContent[] {
  const text = typeof result?.content === "string" ? result.content : "";
  if (text === "") return [];
  const left = text.length - OUTPUT_CHARACTERS;
  const shown = sanitize(text.slice(0, OUTPUT_CHARACTERS).toWellFormed());
  return [textContent(left > 0 ? `${shown}\n[${left} more characters]` : shown)];
}
