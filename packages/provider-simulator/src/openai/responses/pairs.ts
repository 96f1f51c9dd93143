import { invalidRequest, type Problem } from "../problem.ts";
import type { ReadItem } from "./items.ts";
import type { ResponsesMemory } from "./responses-memory.ts";

const CALLS: Readonly<Record<string, string>> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
  tool_search_call: "tool search call",
};
const OUTPUTS: Readonly<Record<string, string>> = {
  function_call_output: "function call output",
  custom_tool_call_output: "custom tool call output",
  tool_search_output: "tool search output",
};

/** Every call needs its output somewhere after it, and every output its call somewhere before it. */
export function checkCallPairs(items: readonly ReadItem[]): Problem | undefined {
  const open = new Map<string, { count: number; words: string }>();
  for (const { type, callId } of items) {
    if (callId === undefined) continue;
    const waiting = open.get(callId);
    if (Object.hasOwn(CALLS, type)) {
      open.set(callId, { count: (waiting?.count ?? 0) + 1, words: CALLS[type]! });
    } else if (Object.hasOwn(OUTPUTS, type)) {
      // vscode#320060. The second output of one call finds no call either; that case was not seen.
      if (waiting === undefined || waiting.count === 0) {
        return invalidRequest(`No tool call found for ${OUTPUTS[type]} with call_id ${callId}.`, { param: "input" });
      }
      open.set(callId, { ...waiting, count: waiting.count - 1 });
    }
  }
  for (const [callId, { count, words }] of open) {
    if (count > 0) return invalidRequest(`No tool output found for ${words} ${callId}.`, { param: "input" });
  }
  return undefined;
}

/** OpenRouterTeam/ai-sdk-provider#254. */
export function checkDuplicateIds(items: readonly ReadItem[]): Problem | undefined {
  const seen = new Set<string>();
  for (const { id } of items) {
    if (id === undefined) continue;
    if (seen.has(id)) {
      const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      return invalidRequest(message, { param: "input" });
    }
    seen.add(id);
  }
  return undefined;
}

/** continue#8933, continue#11994: reasoning stands right before the item it was produced with, or not at all. */
export function checkReasoningPairs(items: readonly ReadItem[], memory: ResponsesMemory): Problem | undefined {
  const present = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item.type === "reasoning") {
      const id = item.id ?? item.sealedId;
      if (id !== undefined) present.add(id);
      if (!isFollowed(item, items[index + 1], memory)) {
        const message = `Item '${id ?? ""}' of type 'reasoning' was provided without its required following item.`;
        return invalidRequest(message, { param: "input" });
      }
      continue;
    }
    const reasoningId = item.id === undefined ? undefined : memory.minted(item.id)?.reasoningId;
    if (reasoningId !== undefined && !present.has(reasoningId)) {
      const message = `Item '${item.id}' of type '${item.type}' was provided without its required 'reasoning' item: '${reasoningId}'.`;
      return invalidRequest(message, { param: "input" });
    }
  }
  return undefined;
}

/**
 * With an id, the item after it must be the very one that followed when the model spoke. Where ids were left out, as
 * stateless clients do, sealed reasoning is held to the kind of item and to its call; reasoning that only refers to a
 * stored item is refused then (openai-node#1567).
 */
function isFollowed(reasoning: ReadItem, next: ReadItem | undefined, memory: ResponsesMemory): boolean {
  if (next === undefined || next.speaker !== "assistant" || next.type === "compaction_trigger") return false;
  const id = reasoning.id ?? reasoning.sealedId;
  const expected = id === undefined ? undefined : memory.minted(id)?.followedBy;
  if (expected === undefined) return true;
  if (next.id !== undefined) return next.id === expected.id;
  if (reasoning.sealedId === undefined) return false;
  return next.type === expected.type && (expected.callId === undefined || next.callId === expected.callId);
}

/** The trigger asks for a compaction of everything before it. */
export function checkTriggerLast(items: readonly ReadItem[]): Problem | undefined {
  const index = items.findIndex(({ type }) => type === "compaction_trigger");
  if (index < 0 || index === items.length - 1) return undefined;
  // The rule is in the types of the client; its wording was not seen.
  const message = "A 'compaction_trigger' item must be the last item of 'input'.";
  return invalidRequest(message, { param: `input[${index}]` });
}
