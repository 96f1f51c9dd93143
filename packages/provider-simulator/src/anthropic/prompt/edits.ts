import { type Block, type ContextEdit, isThinking, type MessagesRequest } from "../request.ts";
import type { PlacedBlock } from "./conversation.ts";
import type { Measures } from "./measure.ts";

/** The text in place of a cleared result. The provider's own wording was not seen. */
const CLEARED_RESULT = "[Old tool result content cleared]";

/** The provider's guide. */
const DEFAULT_TRIGGER: { readonly type: string; readonly value: number } = { type: "input_tokens", value: 100_000 };

export interface AppliedEdit {
  readonly type: string;
  readonly cleared_input_tokens: number;
  readonly cleared_tool_uses?: number;
  readonly cleared_thinking_turns?: number;
}

export interface EditedConversation {
  readonly conversation: readonly PlacedBlock[];
  readonly applied: readonly AppliedEdit[];
}

/** Applies the clearing edits in their order. `promptTokens` is the size of the whole prompt before any of them. */
export function applyEdits(
  request: MessagesRequest,
  said: readonly PlacedBlock[],
  measures: Measures,
  promptTokens: number,
): EditedConversation {
  let conversation = said;
  const applied: AppliedEdit[] = [];
  for (const edit of request.context_management?.edits ?? []) {
    const before = conversation;
    if (edit.type === "clear_thinking_20251015") conversation = clearThinking(edit, conversation);
    if (edit.type === "clear_tool_uses_20250919")
      conversation = clearToolUses(edit, conversation, measures, promptTokens);
    if (conversation !== before) applied.push(report(edit, before, conversation));
  }
  return { conversation, applied };
}

function report(edit: ContextEdit, before: readonly PlacedBlock[], after: readonly PlacedBlock[]): AppliedEdit {
  const cleared_input_tokens = tokensOf(before) - tokensOf(after);
  if (edit.type === "clear_thinking_20251015") {
    return {
      type: edit.type,
      cleared_thinking_turns: thinkingTurns(before).length - thinkingTurns(after).length,
      cleared_input_tokens,
    };
  }
  const cleared = after.filter(
    (said, index) => said.block !== before[index]!.block && said.block.type === "tool_result",
  );
  return { type: edit.type, cleared_tool_uses: cleared.length, cleared_input_tokens };
}

function clearThinking({ keep }: ContextEdit, said: readonly PlacedBlock[]): readonly PlacedBlock[] {
  const { type, value = 1 } = (keep === "all" ? { type: "all" } : (keep ?? {})) as { type?: string; value?: number };
  const turns = thinkingTurns(said);
  const cleared = new Set(type === "all" ? [] : turns.slice(0, Math.max(0, turns.length - value)));
  if (cleared.size === 0) return said;
  const turnOf = turnsOf(said);
  return said.filter((one, index) => !(isThinking(one.block) && cleared.has(turnOf[index]!)));
}

/**
 * Turns with thinking in them. A turn goes from words of the user to the next: to keep one is what models do by default
 * that drop thinking from before the newest words (older editions of the provider's guide), calls of tools in between.
 */
function thinkingTurns(said: readonly PlacedBlock[]): number[] {
  const turnOf = turnsOf(said);
  return [...new Set(turnOf.filter((_, index) => isThinking(said[index]!.block)))];
}

function turnsOf(said: readonly PlacedBlock[]): number[] {
  let turn = 0;
  return said.map(({ role, measure }) => {
    if (role === "user" && measure.kind !== "result") turn++;
    return turn;
  });
}

function clearToolUses(
  edit: ContextEdit,
  said: readonly PlacedBlock[],
  measures: Measures,
  promptTokens: number,
): readonly PlacedBlock[] {
  const calls = said.filter(({ block }) => block.type === "tool_use");
  const trigger = (edit["trigger"] ?? DEFAULT_TRIGGER) as typeof DEFAULT_TRIGGER;
  if ((trigger.type === "tool_uses" ? calls.length : promptTokens) < trigger.value) return said;

  const keep = (edit["keep"] as { value: number } | null | undefined)?.value ?? 3;
  const excluded = new Set(edit["exclude_tools"] as string[] | null | undefined);
  const clearable = calls
    .slice(0, Math.max(0, calls.length - keep))
    .filter(({ block }) => !excluded.has(block["name"] as string));
  const ids = new Set(clearable.map(({ block }) => block["id"]));
  const inputs = inputsToClear(edit["clear_tool_inputs"]);
  const edited = said.map((one): PlacedBlock => {
    const { block } = one;
    if (block.type === "tool_result" && ids.has(block["tool_use_id"])) {
      return withBlock(one, { ...block, content: CLEARED_RESULT }, measures);
    }
    if (block.type === "tool_use" && ids.has(block["id"]) && inputs(block)) {
      return withBlock(one, { ...block, input: {} }, measures);
    }
    return one;
  });
  const freed = tokensOf(said) - tokensOf(edited);
  const atLeast = (edit["clear_at_least"] as { value: number } | null | undefined)?.value ?? 1;
  return freed < Math.max(1, atLeast) ? said : edited;
}

function withBlock(said: PlacedBlock, block: Block, measures: Measures): PlacedBlock {
  return { ...said, block, measure: measures.block(block) };
}

function inputsToClear(setting: unknown): (call: Block) => boolean {
  if (Array.isArray(setting)) return (call) => setting.includes(call["name"]);
  return () => setting === true;
}

function tokensOf(said: readonly PlacedBlock[]): number {
  return said.reduce((sum, { measure }) => sum + measure.tokens, 0);
}
