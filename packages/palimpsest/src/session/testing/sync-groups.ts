// Messages and groups of a log, for tests of sync.

import type { Block } from "../../log/block.ts";
import { groupEntries, type OurEntry, type OurGroup, type SyncMessage, toParts } from "../sync/conversation.ts";

export const user = (content: SyncMessage["content"]): SyncMessage => ({ role: "user", content });
export const assistant = (content: SyncMessage["content"], id?: string): SyncMessage => ({
  role: "assistant",
  content,
  ...(id === undefined ? {} : { id }),
});
export const text = (words: string): Block => ({ kind: "text", text: words });
export const call = (id: string): Block => ({ kind: "tool_call", id, name: "look", input: {} });
export const result = (callId: string, content = "A tree."): Block => ({
  kind: "tool_result",
  callId,
  content,
  status: "ok",
});

/** A message of the log. The first message is entry 1. */
export type Logged = SyncMessage & Partial<Pick<OurEntry, "presence" | "erased" | "cutAt">>;

/** Yields the groups of a log with these messages, in order. */
export async function* ourGroups(messages: readonly Logged[]): AsyncGenerator<OurGroup> {
  const entries = messages.map(({ role, content, id, presence = "required", erased = false, cutAt }, index) => {
    const parts = toParts(role, content, index + 1);
    const own = { entry: index + 1, cutAt: cutAt ?? index + 1, role: parts[0]!.role, parts, presence, erased };
    return { ...own, ...(id === undefined ? {} : { responseId: id }) };
  });
  async function* each(): AsyncGenerator<OurEntry> {
    yield* entries;
  }
  yield* groupEntries(each());
}

/** Yields the groups of a log with these messages, newest first. */
export async function* ourGroupsBack(messages: readonly Logged[]): AsyncGenerator<OurGroup> {
  yield* (await Array.fromAsync(ourGroups(messages))).toReversed();
}
