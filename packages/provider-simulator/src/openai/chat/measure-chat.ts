import { type Accepted, accept } from "../../accept.ts";
import { asArray, asText, type JsonObject } from "../../json.ts";
import { type RenderedPrompt, renderPrompt, sumTokens, toolBlock } from "../../prompt.ts";
import type { PromptCache } from "../../prompt-cache.ts";
import { rememberFrozen } from "../../remember-frozen.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import type { Refusal } from "../../verdict.ts";
import { readCachingOptions } from "../caching-options.ts";
import { dropFromFront } from "../drop-from-front.ts";
import { findModel, type OpenAiModel } from "../models.ts";
import { modelNotFound, type Problem, toRefusal, unsupportedParameter } from "../problem.ts";
import { checkChatSettings, checkChatShape, outputLimitOf } from "./check-request.ts";
import type { CompatibleProfile } from "./compatible-profile.ts";
import { checkMessage, createMessageReader, type ReadMessage } from "./messages.ts";
import { checkToolMessages } from "./pairs.ts";

export interface MeasuredChat {
  readonly kind: "measured";
  readonly request: JsonObject;
  readonly model: OpenAiModel;
  readonly messages: readonly ReadMessage[];
  readonly prompt: RenderedPrompt;
  readonly accepted: Accepted;
  readonly maxOutputTokens: number;
  /** Given by a server that took a prompt too large for it and says so only here. */
  readonly finishReason?: string;
}

export interface ChatMeterOptions {
  readonly tokenizer: Tokenizer;
  readonly models: Readonly<Record<string, OpenAiModel>>;
  readonly profile: CompatibleProfile;
  readonly cache: PromptCache;
}

export type ChatMeter = (request: unknown, account: string) => MeasuredChat | Refusal;

export function createChatMeter({ tokenizer, models, profile, cache }: ChatMeterOptions): ChatMeter {
  const rules = { unknownFields: profile.unknownFields };
  const read = createMessageReader(tokenizer, rules);
  const readTool = rememberFrozen((tool: object) => toolBlock(tool, tokenizer));

  return (body, account) => {
    const misshapen = checkChatShape(body, rules);
    if (misshapen !== undefined) return toRefusal(misshapen);
    const request = body as JsonObject;
    const model = modelFor(asText(request["model"]), models, profile);
    if (model === undefined) return toRefusal(modelNotFound(asText(request["model"])));
    const misset = checkChatSettings(request, model, rules);
    if (misset !== undefined) return toRefusal(misset);

    const messages: ReadMessage[] = [];
    for (const [index, raw] of asArray(request["messages"]).entries()) {
      const message = read(raw);
      if (message.condition === "faulty") return toRefusal(checkMessage(raw, `messages[${index}]`, rules)!);
      messages.push(message);
    }
    const unpaired = checkPairs(messages, profile);
    if (unpaired !== undefined) return toRefusal(unpaired);

    const head = asArray(request["tools"]).map((tool) => readTool(tool as object));
    const render = (entries: readonly ReadMessage[]): RenderedPrompt =>
      renderPrompt({ settings: [account, ...settingsOf(request)], head, entries });
    let prompt = render(messages);
    if (prompt.marks.length > 0 && model.cache.kind === "automatic" && profile.unknownFields === "refused") {
      return toRefusal(unsupportedParameter("prompt_cache_breakpoint"));
    }

    const fitted = fitToWindow({ messages, headTokens: sumTokens(head), request, model, profile });
    if (fitted.kind === "refused") return fitted;
    if (fitted.entries !== messages) prompt = render(fitted.entries);
    const { maxOutputTokens, finishReason } = fitted;
    return {
      kind: "measured",
      request,
      model,
      messages,
      prompt,
      accepted: accept({ model, prompt, caching: readCachingOptions(request), cache }),
      maxOutputTokens,
      finishReason,
    };
  };
}

interface Fitting {
  readonly messages: readonly ReadMessage[];
  readonly headTokens: number;
  readonly request: JsonObject;
  readonly model: OpenAiModel;
  readonly profile: CompatibleProfile;
}

interface Fitted {
  readonly kind: "fitted";
  readonly entries: readonly ReadMessage[];
  readonly maxOutputTokens: number;
  readonly finishReason?: string;
}

/** What the server makes of the size of a prompt: a refusal, the prompt as it is, or the end of it. */
function fitToWindow({ messages, headTokens, request, model, profile }: Fitting): Fitted | Refusal {
  const { overflow } = profile;
  const inputTokens = messages.reduce((tokens, message) => tokens + message.tokens, headTokens);
  const outputTokens = outputLimitOf(request) ?? 0;
  const wantedTokens = outputTokens || model.maxOutputTokens;
  const tooLarge = inputTokens > model.maxInputTokens;
  const noRoom = inputTokens + outputTokens > model.windowTokens;
  if (overflow.kind === "refuse" && (tooLarge || (noRoom && overflow.counts === "input-and-output"))) {
    const windowTokens = tooLarge ? model.maxInputTokens : model.windowTokens;
    return overflow.refusal({ inputTokens, outputTokens, windowTokens });
  }
  if (!tooLarge) {
    const maxOutputTokens = Math.min(wantedTokens, Math.max(0, model.windowTokens - inputTokens));
    return { kind: "fitted", entries: messages, maxOutputTokens };
  }
  if (overflow.kind === "truncate") {
    const entries = cutToFit(messages, inputTokens - headTokens, Math.max(0, model.maxInputTokens - headTokens));
    // Where there is room, the window shifts on while the model writes.
    return { kind: "fitted", entries, maxOutputTokens: overflow.room === "left" ? wantedTokens : 0 };
  }
  const reason = overflow.kind === "accept" ? overflow.finishReason : undefined;
  return {
    kind: "fitted",
    entries: messages,
    maxOutputTokens: wantedTokens,
    finishReason: reason,
  };
}

function modelFor(
  id: string,
  models: Readonly<Record<string, OpenAiModel>>,
  { model }: CompatibleProfile,
): OpenAiModel | undefined {
  return findModel(id, models) ?? (model === undefined ? undefined : { id, ...model });
}

function checkPairs(messages: readonly ReadMessage[], { unansweredCalls }: CompatibleProfile): Problem | undefined {
  if (unansweredCalls === "accepted") return undefined;
  const problem = checkToolMessages(messages);
  if (problem === undefined || unansweredCalls === "openai") return problem;
  return unansweredCalls(Number(/\d+/.exec(problem.param ?? "")?.[0] ?? 0));
}

/** The settings that are rendered into the prompt or routed by; the cache guide names the kinds. */
function settingsOf(request: JsonObject): unknown[] {
  return ["model", "prompt_cache_key", "service_tier", "response_format", "reasoning_effort", "verbosity"].map(
    (name) => request[name] ?? null,
  );
}

/** Whole messages from the front, and if that is not enough, the front of what is left: the newest tokens stay. */
function cutToFit(messages: readonly ReadMessage[], tokens: number, maxTokens: number): readonly ReadMessage[] {
  const kept = dropFromFront(messages, tokens - maxTokens);
  if (kept !== undefined) return kept;
  const last = messages.at(-1)!;
  const block = last.blocks.at(-1);
  if (block === undefined) return [];
  return [{ ...last, blocks: [{ ...block, tokens: Math.min(block.tokens, maxTokens) }] }];
}
