// Compares the prompts of a fork and its parent.

import type { Configuration, FlatMessage } from "../view/view.ts";

/** A sent prompt: the fields before the messages, and the messages. */
export interface Prefix {
  readonly head: Pick<Configuration, "model" | "system" | "tools" | "parameters">;
  readonly messages: readonly FlatMessage[];
}

/**
 * Finds the first difference between a fork's request and the prompt that its parent has sent. Undefined if the request
 * begins with the whole prompt, as it must, because the provider finds its cache by these bytes. The parent's last
 * message may have additional blocks at its end.
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
