import type { DreamState } from "@palimpsest/memory/dream";

/** Describes what a run has done so far, with the beginning of what the model said last. */
export function progressText({ phase, toolCalls, topics, turns }: DreamState): string {
  const words = turns.at(-1)?.text.replaceAll(/\s+/g, " ").trim().slice(0, 80) ?? "";
  return `${phase}: ${toolCalls} tool calls, ${topics.length} topics changed${words === "" ? "" : `: ${words}`}`;
}
