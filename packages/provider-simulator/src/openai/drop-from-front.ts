import type { PromptEntry } from "../prompt.ts";

/**
 * What is left of a conversation after dropping enough tokens from its beginning: instructions stay, a call takes its
 * results along, and what the model said goes with what it answered. Undefined if not even the last entry could stay.
 */
export function dropFromFront<Entry extends PromptEntry>(
  entries: readonly Entry[],
  excessTokens: number,
): readonly Entry[] | undefined {
  const kept: Entry[] = [];
  const droppedCalls = new Set<string>();
  let freedTokens = 0;
  let opened = false;
  for (const entry of entries) {
    const orphaned = entry.resultOf !== undefined && droppedCalls.has(entry.resultOf);
    const enough = freedTokens >= excessTokens && (opened || entry.speaker !== "assistant" || freedTokens === 0);
    if (entry.speaker === "instructions" || (enough && !orphaned)) {
      kept.push(entry);
      opened ||= entry.speaker !== "instructions";
      continue;
    }
    freedTokens += entry.tokens;
    for (const call of entry.calls ?? []) droppedCalls.add(call);
  }
  const last = entries.at(-1);
  if (freedTokens < excessTokens || last === undefined || kept.at(-1) !== last) return undefined;
  return kept;
}
