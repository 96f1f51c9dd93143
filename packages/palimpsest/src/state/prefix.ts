import type { Configuration, FlatMessage } from "../view/view.ts";

/** What has been sent: what stands before the messages, and the messages. */
export interface Prefix {
  readonly head: Pick<Configuration, "model" | "system" | "tools" | "parameters">;
  readonly messages: readonly FlatMessage[];
}

/**
 * Where a fork's request departs from what its parent has sent; undefined if it begins with all of it, as it must: the
 * provider's cache is found by these bytes. The parent's last message may have grown, by blocks behind its own.
 */
export function findDeparture(parent: Prefix, fork: Prefix): string | undefined {
  for (const part of ["model", "system", "tools", "parameters"] as const) {
    if (JSON.stringify(parent.head[part]) !== JSON.stringify(fork.head[part])) return part;
  }
  const last = parent.messages.length - 1;
  for (const [index, message] of parent.messages.entries()) {
    const own = fork.messages[index];
    const blocks = index === last ? own?.blocks.slice(0, message.blocks.length) : own?.blocks;
    const isSame = own?.role === message.role && JSON.stringify(blocks) === JSON.stringify(message.blocks);
    if (!isSame) return `message ${index + 1} of ${parent.messages.length}`;
  }
  return undefined;
}
