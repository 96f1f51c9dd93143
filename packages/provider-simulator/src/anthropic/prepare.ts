import type { PromptCache } from "../prompt-cache.ts";
import { checkBody, mayBeTooLarge } from "./check/check-body.ts";
import { checkCacheMarks } from "./check/check-cache-marks.ts";
import { checkContent } from "./check/check-content.ts";
import { checkEdits } from "./check/check-edits.ts";
import { checkSettings } from "./check/check-settings.ts";
import { checkShape, type Endpoint } from "./check/check-shape.ts";
import { checkToolPairs } from "./check/check-tool-pairs.ts";
import { checkToolReferences } from "./check/check-tool-references.ts";
import { type AnthropicModel, findModel } from "./models.ts";
import { invalid, type Problem } from "./problem.ts";
import { type CachePlan, planCache } from "./prompt/cache.ts";
import { checkCompactionBlocks, checkCompactionRequest } from "./prompt/compaction.ts";
import { conversationOf, type Said, sinceCompaction, withoutCleared } from "./prompt/conversation.ts";
import { type AppliedEdit, applyEdits } from "./prompt/edits.ts";
import { type Head, headOf, systemBlocks } from "./prompt/head.ts";
import type { Measure, Measures } from "./prompt/measure.ts";
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

/** An accepted request, taken apart: everything an answer or a count needs. */
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
  readonly plan: CachePlan;
}

export interface World {
  readonly models: readonly AnthropicModel[];
  readonly measures: Measures;
  readonly cache: PromptCache;
  readonly threads: Threads;
  /** How this service treats accounts that do not set `prefix_mismatch_behavior`. */
  readonly bindingEnforcement: "error" | "observe";
}

/** What the rules look at beside the request itself. */
interface Terms {
  readonly endpoint: Endpoint;
  readonly call: CallOptions;
  readonly world: World;
}

/** Judges a request step by step, in the order in which the service answers: the first broken rule is the refusal. */
export function prepare(value: unknown, terms: Terms): Prepared | Problem {
  const prepared = judge(value, terms);
  if ("kind" in prepared) return prepared;
  // The body is read before the request is: what is wrong with it comes first, but is looked for only when needed.
  return checkBody(JSON.stringify(value) ?? "") ?? prepared;
}

function judge(value: unknown, { endpoint, call, world }: Terms): Prepared | Problem {
  const malformed = checkShape(value, endpoint, call);
  if (malformed !== undefined) return malformed;
  const account = call.account ?? "default";
  const request = world.threads.expand(value as MessagesRequest, account);
  if ("status" in request) return request;
  const model = findModel(world.models, request.model);
  if (model === undefined) return { status: 404, type: "not_found_error", message: `model: ${request.model}` };

  const illegible = checkContent(request, model, call);
  if (illegible !== undefined) return illegible;
  const { measures, cache } = world;
  const said = conversationOf(request, measures);
  const broken =
    checkText(value, request, said, measures) ??
    checkCompactionRequest(request) ??
    checkToolPairs(said) ??
    checkCacheMarks(request, said) ??
    checkSettings(request, model, call) ??
    checkEdits(request, call) ??
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
  const prompt = edited.applied.length === 0 ? original : renderPrompt(request, edited.conversation, measures);
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
    plan: planCache(prompt, cache, cacheTerms(call, model)),
  };
}

export function cacheTerms(call: CallOptions, model: AnthropicModel): { scope: string; minimumTokens: number } {
  const scope = `${call.account ?? "default"}/${call.workspace ?? ""}/${model.id}`;
  return { scope, minimumTokens: model.minimumCacheTokens };
}

function enforcementOf(request: MessagesRequest, world: World): BindingEnforcement {
  const asked = request.thinking?.block_binding?.prefix_mismatch_behavior;
  if (asked === "drop_block") return "drop";
  return asked === "error" ? "error" : world.bindingEnforcement;
}

/** The measures tell whether the body as a whole has to be read: it is not, if no block is broken and all are small. */
function checkText(
  value: unknown,
  request: MessagesRequest,
  said: readonly Said[],
  measures: Measures,
): Problem | undefined {
  let bytes = 0;
  let broken = false;
  const read = (measure: Measure): void => {
    bytes += measure.bytes;
    broken ||= measure.strings === "broken";
  };
  for (const tool of request.tools ?? []) read(measures.tool(tool));
  for (const block of systemBlocks(request)) read(measures.block(block));
  for (const { measure } of said) read(measure);
  return broken || mayBeTooLarge(bytes) ? checkBody(JSON.stringify(value)) : undefined;
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
