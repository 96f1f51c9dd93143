import type { Block, Part } from "palimpsest";
import { readEntries, readPayload } from "palimpsest/inspect";
import type { LogReader } from "palimpsest/store-parts";
import type { RecordedBlock, RecordedEntry, RecordedPart } from "../../transcripts/readers/recorded.ts";

/** A log as entries that can be replayed, or how large it is if it is too large for that. */
export type RecordedLog =
  | { readonly kind: "recorded"; readonly entries: readonly RecordedEntry[] }
  | { readonly kind: "too-large"; readonly characters: number };

/** A replay holds the whole conversation in memory, several times. */
export const MAX_CHARACTERS = 64_000_000;

/** Reads what was said, called and paid in a log. Compactions of the session leave no trace: a replay makes its own. */
export async function toRecorded(log: LogReader, session: string): Promise<RecordedLog> {
  const { sequence: end } = await log.head();
  const [first] = await log.read(1, 1);
  // The kind of agent is for transcripts of others; a session of ours is recorded as the proxy records.
  const entries: RecordedEntry[] = [{ kind: "session", agent: "proxy", id: session, startedAtMs: first?.atMs ?? 0 }];
  let characters = 0;
  for await (const entry of readEntries(log, 1, end)) {
    const read = readPayload(entry);
    const at = { branch: "main", atMs: entry.atMs } as const;
    if (read.kind === "usage" && (read.payload.source ?? "main") === "main") {
      const { responseId, freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = read.payload;
      const tokens = { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
      entries.push({ kind: "usage", ...at, responseId, ...tokens, outputCount: "final" });
    } else if (read.kind === "message" && read.payload.audience !== "user") {
      characters += entry.payload?.length ?? 0;
      if (characters > MAX_CHARACTERS) return { kind: "too-large", characters };
      const { role, origin, blocks, responseId } = read.payload;
      const from = origin === "host" || origin === "command" ? "agent" : origin;
      const answered = responseId === undefined ? {} : { responseId };
      const id = String(entry.sequence);
      entries.push({ kind: "message", id, ...at, role, origin: from, blocks: blocks.map(toBlock), ...answered });
    }
  }
  return { kind: "recorded", entries };
}

function toBlock(block: Block): RecordedBlock {
  switch (block.kind) {
    case "thinking":
      return { kind: "thinking", text: block.text };
    case "tool_call":
      return { kind: "tool_call", callId: block.id, name: block.name, input: block.input };
    case "tool_result": {
      const { callId, content, status } = block;
      const parts = typeof content === "string" ? content : content.map(toPart);
      return { kind: "tool_result", callId, content: parts, status: status === "error" ? "error" : "ok" };
    }
    default:
      return toPart(block);
  }
}

function toPart(part: Part): RecordedPart {
  if (part.kind === "text") return { kind: "text", text: part.text };
  return { kind: "opaque", type: part.kind, value: null };
}
