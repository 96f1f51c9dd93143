import type { PromptCache } from "../prompt-cache.ts";
import type { ValueCheck } from "./check/check-body.ts";
import { checkCacheMarks } from "./check/check-cache-marks.ts";
import type { ContentCheck } from "./check/check-content.ts";
import { checkEdits } from "./check/check-edits.ts";
import { checkSettings } from "./check/check-settings.ts";
import { checkShape, type Endpoint } from "./check/check-shape.ts";
import { checkToolPairs } from "./check/check-tool-pairs.ts";
import { checkToolReferences } from "./check/check-tool-references.ts";
import { type AnthropicModel, findModel } from "./models.ts";
import { invalid, type Problem } from "./problem.ts";
import { type CachePlan, planCache } from "./prompt/cache.ts";
import { deleteCached } from "./prompt/cache-deletions.ts";
import { checkCompactionBlocks, checkCompactionRequest } from "./prompt/compaction.ts";
import { conversationOf, sinceCompaction, withoutCleared } from "./prompt/conversation.ts";
import { type AppliedEdit, applyEdits } from "./prompt/edits.ts";
import { type Head, headOf } from "./prompt/head.ts";
import type { Measures } from "./prompt/measure.ts";
import { type RenderedPrompt, renderPrompt } from "./prompt/render.ts";
import {
  type BindingEnforcement,
  checkThinking,
  type InputTransformation,
  withoutEarlierThinking,
} from "./prompt/thinking.ts";
import { headState, type ThinkingState } from "./prompt/thinking-state.ts";
import { BETA, type CallOptions, hasBeta, type MessagesRequest } from "./request.ts";
import type { Threads } from "./threads.ts";

/** An accepted request with everything that an answer or a count needs. */
export interface Prepared {
  readonly kind: "prepared";
  readonly request: MessagesRequest;
  readonly call: CallOptions;
  readonly model: AnthropicModel;
  readonly account: string;
  readonly head: Head;
  readonly prompt: RenderedPrompt;
  readonly originalTokens: number;
  readonly appliedEdits: readonly AppliedEdit[];
  readonly transformations: readonly InputTransformation[];
  readonly thinkingState: ThinkingState;
  /** What the request deletes from the cached prompt. */
  readonly deletedTokens: number;
  readonly plan: CachePlan;
}

export interface World {
  readonly models: readonly AnthropicModel[];
  readonly measures: Measures;
  readonly cache: PromptCache;
  readonly threads: Threads;
  /** Two checks that cache their results. */
  readonly checkValue: ValueCheck;
  readonly checkContent: ContentCheck;
  /** How this service treats accounts that do not set `prefix_mismatch_behavior`. */
  readonly bindingEnforcement: "error" | "observe";
}

/** Inputs of the rules beside the request itself. */
interface RequestLimits {
  readonly endpoint: Endpoint;
  readonly call: CallOptions;
  readonly world: World;
}

/** Judges a request step by step, in the order in which the service answers: the first broken rule is the refusal. */
export function prepare(value: unknown, options: RequestLimits): Prepared | Problem {
  return options.world.checkValue(value) ?? judge(value, options);
}

function judge(value: unknown, { endpoint, call, world }: RequestLimits): Prepared | Problem {
  const malformed = checkShape(value, endpoint, call);
  if (malformed !== undefined) return malformed;
  const account = call.account ?? "default";
  const request = world.threads.expand(withContent(value as MessagesRequest), account);
  if ("status" in request) return request;
  const model = findModel(world.models, request.model);
  if (model === undefined) return { status: 404, type: "not_found_error", message: `model: ${request.model}` };

  const illegible = world.checkContent(request, model, call);
  if (illegible !== undefined) return illegible;
  const { measures, cache } = world;
  const said = conversationOf(request, measures);
  const broken =
    checkCompactionRequest(request) ??
    checkToolPairs(said) ??
    checkCacheMarks(request, said) ??
    checkSettings(request, model, call) ??
    checkEdits(request, model, call) ??
    checkToolReferences(request, said) ??
    checkCompactionBlocks(request, said);
  if (broken !== undefined) return broken;

  const head = headOf(request, measures);
  const thinking = checkThinking(sinceCompaction(said), headState(head), {
    model,
    account,
    enforcement: enforcementOf(request, world),
  });
  if ("status" in thinking) return thinking;
  const shown = withoutCleared(withoutEarlierThinking(thinking.conversation, model), request);
  const original = renderPrompt(request, shown, measures);
  const edited = applyEdits(request, shown, measures, original.prefix.tokens);
  const whole = edited.applied.length === 0 ? original : renderPrompt(request, edited.conversation, measures);
  const wholePlan = planCache(whole, cache, cacheOptions(call, model));
  const deletion = deleteCached(request, edited.conversation, whole, wholePlan);
  const prompt = deletion === undefined ? whole : renderPrompt(request, deletion.conversation, measures);
  const oversized = endpoint === "messages" ? checkTokens(request, model, call, prompt.prefix.tokens) : undefined;
  if (oversized !== undefined) return oversized;
  return {
    kind: "prepared",
    request,
    call,
    model,
    account,
    head,
    prompt,
    originalTokens: original.prefix.tokens,
    appliedEdits: edited.applied,
    transformations: thinking.transformations,
    thinkingState: thinking.state,
    deletedTokens: deletion?.deletedTokens ?? 0,
    plan: deletion === undefined ? wholePlan : planCache(prompt, cache, cacheOptions(call, model)),
  };
}

/** A system message that only sets the effort may omit its content: later steps always see content. */
function withContent(request: MessagesRequest): MessagesRequest {
  const isBare = ({ content }: { content?: unknown }): boolean => content === undefined;
  if (!request.messages.some(isBare)) return request;
  const messages = request.messages.map((message) => (isBare(message) ? { ...message, content: [] } : message));
  return { ...request, messages };
}

export function cacheOptions(call: CallOptions, model: AnthropicModel): { scope: string; minimumTokens: number } {
  const scope = `${call.account ?? "default"}/${call.workspace ?? ""}/${model.id}`;
  return { scope, minimumTokens: model.minimumCacheTokens };
}

function enforcementOf(request: MessagesRequest, world: World): BindingEnforcement {
  const asked = request.thinking?.block_binding?.prefix_mismatch_behavior;
  if (asked === "drop_block") return "drop";
  return asked === "error" ? "error" : world.bindingEnforcement;
}

function checkTokens(
  request: MessagesRequest,
  model: AnthropicModel,
  call: CallOptions,
  inputTokens: number,
): Problem | undefined {
  if (inputTokens > model.windowTokens) {
    return invalid(`prompt is too long: ${inputTokens} tokens > ${model.windowTokens} maximum`);
  }
  const maxTokens = request.max_tokens ?? 0;
  const stops = model.whenOutputExceedsWindow === "stop" || hasBeta(call, BETA.windowStopReason);
  if (stops || inputTokens + maxTokens <= model.windowTokens) return undefined;
  return invalid(
    `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${maxTokens} > ${model.windowTokens}, decrease input length or \`max_tokens\` and try again`,
  );
}
