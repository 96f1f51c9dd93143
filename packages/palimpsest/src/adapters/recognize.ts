// Recognizes the session of a list of messages by digests of its turns.

import type { Block } from "../log/block.ts";
import type { SyncMessage } from "../session/sync/conversation.ts";
import { sha256 } from "../stores/sha256.ts";

/** The digests by which a list of messages is recognized. Tool results are left out, because frameworks rewrite and reorder them. */
export interface Chain {
  /** The digest of the user messages before the first answer. */
  readonly head: string;
  /** One digest for each turn of the model. It covers the list up to the end of that turn. */
  readonly points: readonly string[];
}

/** Computes the chain of a list of messages. Each point depends on everything before it. */
export function chainOf(messages: readonly SyncMessage[]): Chain {
  const points: string[] = [];
  let head: string | undefined;
  let digest = "";
  for (const { role, keys } of groups(messages)) {
    if (role === "assistant") head ??= digest;
    digest = sha256(`${digest}\n${role}\n${keys.join("\n")}`).slice(0, DIGEST_LENGTH);
    if (role === "assistant") points.push(digest);
  }
  return { head: head ?? digest, points };
}

/** 96 bits are enough: few lists share a head, and different lists must not get the same digest. */
const DIGEST_LENGTH = 24;

interface Group {
  readonly role: "user" | "assistant";
  readonly keys: string[];
  last: Block["kind"] | undefined;
}

/** Groups consecutive blocks of one role, however they are divided into messages. Tool calls count as the model's. */
function groups(messages: readonly SyncMessage[]): readonly Group[] {
  const found: Group[] = [];
  for (const { role, content } of messages) {
    if (role === "system") continue;
    const blocks: readonly Block[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
    for (const block of blocks) {
      const key = keyOf(block);
      if (key === "") continue;
      const side = block.kind === "tool_call" ? "assistant" : role;
      if (found.at(-1)?.role !== side) found.push({ role: side, keys: [], last: undefined });
      const group = found.at(-1)!;
      // Consecutive texts count as one, because frameworks join and split them.
      if (block.kind === "text" && group.last === "text") group.keys.push(`${group.keys.pop()}${key}`);
      else group.keys.push(key);
      group.last = block.kind;
    }
  }
  return found;
}

function keyOf(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text.normalize("NFC").replace(/\s+/gu, "");
    case "tool_call":
      return block.id;
    case "image":
    case "document":
      return block.source.kind === "url" ? block.source.url : block.source.data;
    default:
      return "";
  }
}

export interface Candidate {
  readonly id: string;
  readonly points: readonly string[];
}

/** Returns the session that a list continues furthest; undefined if no session matches, or several match equally far. */
export function chooseSession(points: readonly string[], candidates: readonly Candidate[]): string | undefined {
  const reached = candidates.map(({ id, points: known }) => ({
    id,
    at: points.findLastIndex((one) => known.includes(one)),
  }));
  const furthest = Math.max(-1, ...reached.map(({ at }) => at));
  const [only, ...others] = reached.filter(({ at }) => at === furthest);
  return furthest < 0 || others.length > 0 ? undefined : only?.id;
}
