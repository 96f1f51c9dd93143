import { digestKey, digestText } from "../../digest.ts";
import { seal, unseal } from "../../seal.ts";
import type { AnthropicModel } from "../models.ts";
import { invalid, type Problem } from "../problem.ts";
import type { Block } from "../request.ts";
import { afterSummary } from "./compaction.ts";
import { type PlacedBlock, pathOf } from "./conversation.ts";
import { afterBlock, afterThinking, bindingOf, type ThinkingState } from "./thinking-state.ts";

const SECRET = "thinking";

/** How to treat thinking whose conversation has changed. "observe": for accounts older than the rule. */
export type BindingEnforcement = "error" | "drop" | "observe";

export interface InputTransformation {
  readonly type: "thinking_dropped" | "thinking_mismatch_allowed";
  readonly path: string;
  readonly reason: "organization_binding_mismatch" | "model_binding_mismatch" | "prefix_binding_mismatch";
}

export interface ThinkingOptions {
  readonly model: AnthropicModel;
  readonly account: string;
  readonly enforcement: BindingEnforcement;
}

export interface CheckedThinking {
  /** The conversation without the blocks that the service dropped. */
  readonly conversation: readonly PlacedBlock[];
  readonly transformations: readonly InputTransformation[];
  /** The state that the thinking of the answer will be bound to. */
  readonly state: ThinkingState;
}

/**
 * Verifies replayed thinking. A block must be as it was signed; on newer models it must also stand in the very
 * conversation that produced it, and follow the thinking it followed then, unless it is the first that is left.
 */
export function checkThinking(
  said: readonly PlacedBlock[],
  start: ThinkingState,
  options: ThinkingOptions,
): CheckedThinking | Problem {
  const latest = said.findLast(({ role }) => role === "assistant")?.messageIndex;
  const transformations: InputTransformation[] = [];
  const kept: PlacedBlock[] = [];
  const isBound = options.model.thinkingBinding !== "none";
  let state = start;
  let previous: PlacedBlock | undefined;
  let broken = false;
  for (const one of said) {
    const { kind, digest } = one.measure;
    if (kind !== "thinking") {
      state = kind === "summary" ? afterSummary(state, one.block) : afterBlock(state, one.role, digest);
      kept.push(one);
      continue;
    }
    const signed = unseal(SECRET, signatureOf(one.block));
    if (signed === undefined) return invalidSignature(one);
    if (signed["content"] !== contentKey(one.block)) {
      return one.messageIndex === latest ? modifiedThinking(one) : invalidSignature(one);
    }
    const unreadable = unreadableReason(signed, options);
    if (unreadable !== undefined) {
      transformations.push({ type: "thinking_dropped", path: pathOf(one), reason: unreadable });
      continue;
    }
    const follows = state.previous === "" || signed["previous"] === state.previous;
    const sharesMessage = previous?.messageIndex === one.messageIndex;
    if (!isBound && !follows && sharesMessage && one.messageIndex === latest) return modifiedThinking(one);
    const mismatch = isBound && !(follows && signed["binding"] === bindingOf(state));
    // One that fails takes all later ones with it, except where the rule is only observed: there each stands alone.
    broken = mismatch || (broken && options.enforcement !== "observe");
    if (broken && options.enforcement === "error") return boundElsewhere(one);
    if (broken) {
      const type = options.enforcement === "drop" ? "thinking_dropped" : "thinking_mismatch_allowed";
      transformations.push({ type, path: pathOf(one), reason: "prefix_binding_mismatch" });
      if (options.enforcement === "drop") continue;
    }
    state = afterThinking(state, signatureOf(one.block));
    previous = one;
    kept.push(one);
  }
  return { conversation: transformations.length === 0 ? said : kept, transformations, state };
}

function unreadableReason(
  signed: Readonly<Record<string, string>>,
  { model, account }: ThinkingOptions,
): InputTransformation["reason"] | undefined {
  // Of several reasons the first in this order is reported (the client library's types).
  if (signed["account"] !== "" && signed["account"] !== account) return "organization_binding_mismatch";
  return signed["model"] === model.id ? undefined : "model_binding_mismatch";
}

function invalidSignature(said: PlacedBlock): Problem {
  return invalid(`${pathOf(said)}: Invalid \`signature\` in \`thinking\` block`);
}

function modifiedThinking(said: PlacedBlock): Problem {
  return invalid(
    `${pathOf(said)}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

function boundElsewhere(said: PlacedBlock): Problem {
  return invalid(
    `${pathOf(said)}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`,
  );
}

/** Signs new thinking. The signature is as long as the thinking was, whatever of it is shown. */
export function mintThinking(
  shown: { readonly type: "thinking"; readonly text: string } | { readonly type: "redacted_thinking" },
  signatureCharacters: number,
  state: ThinkingState,
  { model, account }: Pick<ThinkingOptions, "model" | "account">,
): Block {
  const signature = seal(
    SECRET,
    {
      content: shown.type === "thinking" ? digestKey(digestText(shown.text)) : "",
      model: model.id,
      account: model.thinkingBinding === "prefix-and-account" ? account : "",
      binding: bindingOf(state),
      previous: state.previous,
    },
    signatureCharacters,
  );
  if (shown.type === "redacted_thinking") return { type: "redacted_thinking", data: signature };
  return { type: "thinking", thinking: shown.text, signature };
}

/** Returns what the model sees if it drops thinking from before the user's newest message. */
export function withoutEarlierThinking(said: readonly PlacedBlock[], model: AnthropicModel): readonly PlacedBlock[] {
  if (model.earlierThinking === "kept") return said;
  const newest = said.findLastIndex(({ role, measure }) => role === "user" && measure.kind !== "result");
  return said.some(({ measure }, index) => index < newest && measure.kind === "thinking")
    ? said.filter(({ measure }, index) => index > newest || measure.kind !== "thinking")
    : said;
}

export function signatureOf(block: Block): string {
  return (block["signature"] ?? block["data"]) as string;
}

function contentKey(block: Block): string {
  return block.type === "thinking" ? digestKey(digestText(block["thinking"] as string)) : "";
}
