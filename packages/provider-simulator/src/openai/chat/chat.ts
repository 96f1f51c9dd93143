import { type Clock, systemClock } from "../../clock.ts";
import type { Fault } from "../../faults.ts";
import type { HttpCall, HttpFace, HttpReply } from "../../http-face.ts";
import { priceUsd } from "../../price.ts";
import { PromptCache } from "../../prompt-cache.ts";
import { echo, type Reply, type Script } from "../../script.ts";
import { bytesTokenizer, type Tokenizer } from "../../tokenizer.ts";
import type { Usage } from "../../usage.ts";
import type { Answered, Refusal, Verdict } from "../../verdict.ts";
import { toolNames } from "../check-tools.ts";
import {
  accountOf,
  answeredOutcome,
  failureRefusal,
  faultRefusal,
  type OpenAiCall,
  readBody,
  refusedReply,
  resetReply,
  wholeReply,
} from "../http-replies.ts";
import { isObject, type JsonObject } from "../json.ts";
import { listModels } from "../list-models.ts";
import { createIdMint } from "../mint-id.ts";
import { type OpenAiModel, openAiModels } from "../models.ts";
import { toRefusal } from "../problem.ts";
import { askedFor } from "../prompt.ts";
import { speak } from "../speak.ts";
import { type CompatibleProfile, openAiProfile } from "./compatible-profile.ts";
import { type ChatCompletion, toChunks, toCompletion } from "./completion.ts";
import { createChatScale, type WeighedChat } from "./weigh-chat.ts";

export interface OpenAiChatOptions {
  /** @default the system's clock */
  clock?: Clock;
  /** @default `bytesTokenizer()` */
  tokenizer?: Tokenizer;
  /** What the model says. @default `echo` */
  script?: Script;
  /** Added to the known models, or put in their place. @default none */
  models?: Readonly<Record<string, OpenAiModel>>;
  /** The server to play: one of `compatibleProfiles`, or your own. @default OpenAI itself */
  profile?: CompatibleProfile;
}

export interface OpenAiChat extends HttpFace {
  /** Valid, or the exact refusal. An accepted prompt can be read from the cache at once. */
  judge(request: unknown, call?: OpenAiCall): Verdict;
  /** A whole completion. Faults that break streams have nothing to break here and are passed over. */
  answer(request: unknown, call?: OpenAiCall): Answered<ChatCompletion> | Refusal;
}

/** OpenAI's Chat Completions API, or a server that is compatible with it: `/v1/chat/completions` and the models. */
export function createOpenAiChat(options: OpenAiChatOptions = {}): OpenAiChat {
  const { clock = systemClock, tokenizer = bytesTokenizer(), script = echo, profile = openAiProfile } = options;
  const models = { ...(profile.model === undefined ? openAiModels : {}), ...options.models };
  const mint = createIdMint();
  const weigh = createChatScale({ tokenizer, models, profile, cache: new PromptCache(clock) });
  let turn = 0;

  interface Composed {
    readonly completion: ChatCompletion;
    readonly usage: Usage;
    readonly priceUsd: number;
    readonly fault?: Fault;
  }

  function compose(weighed: WeighedChat): Composed {
    const { request, model, prompt, messages, maxOutputTokens, finishReason } = weighed;
    const heard: Reply = script({
      provider: "openai-chat",
      purpose: "answer",
      turn: turn++,
      request,
      inputTokens: prompt.prefix.tokens,
      tools: toolNames(request["tools"]),
      ...askedFor(messages),
    });
    const reply: Reply = finishReason === undefined ? heard : { ...heard, words: [] };
    const speech = speak(reply, { tokenizer, maxOutputTokens, reasoning: model.reasoning });
    const { outputTokens, thinkingTokens } = speech;
    const usage = { ...weighed.accepted.acceptance.usage, outputTokens, thinkingTokens };
    const completion = toCompletion({
      reply,
      speech,
      usage,
      model: model.id,
      createdAtMs: clock.now(),
      mint,
      profile,
      ...(finishReason === undefined ? {} : { finishReason }),
    });
    const { fault } = heard;
    return { completion, usage, priceUsd: priceUsd(usage, model.prices), ...(fault === undefined ? {} : { fault }) };
  }

  function judge(request: unknown, { account = "default" }: OpenAiCall = {}): Verdict {
    const weighed = weigh(request, account);
    if (weighed.kind === "refused") return weighed;
    weighed.accepted.commit();
    return weighed.accepted.acceptance;
  }

  function answer(request: unknown, { account = "default" }: OpenAiCall = {}): Answered<ChatCompletion> | Refusal {
    const weighed = weigh(request, account);
    if (weighed.kind === "refused") return weighed;
    const { completion, usage, priceUsd: price, fault } = compose(weighed);
    const refusal = faultRefusal(fault, "whole") ?? failureRefusal(fault);
    if (refusal !== undefined) return refusal;
    const { acceptance, commit } = weighed.accepted;
    commit();
    return { kind: "answered", acceptance, response: completion, usage, priceUsd: price };
  }

  function stream(request: JsonObject, account: string): HttpReply {
    const weighed = weigh(request, account);
    if (weighed.kind === "refused") return refusedReply(weighed, mint("req"));
    const composed = compose(weighed);
    const { fault, completion } = composed;
    if (fault?.kind === "connection-reset") return resetReply();
    const refusal = faultRefusal(fault, "stream") ?? failureRefusal(fault);
    if (refusal !== undefined) return refusedReply(refusal, mint("req"));
    const { acceptance, commit } = weighed.accepted;
    const wanted = isObject(request["stream_options"]) ? request["stream_options"]["include_usage"] === true : false;
    const chunks = toChunks(completion, wanted || profile.streamUsage === "always" ? "included" : "left-out");
    return {
      kind: "stream",
      headers: { "x-request-id": mint("req") },
      events: fault?.kind === "stream-error" ? [...chunks.slice(0, fault.afterEvents), errorChunk(fault)] : chunks,
      ...(fault?.kind === "stream-cut" || fault?.kind === "stream-stall" ? { fault } : {}),
      begun: commit,
      outcome: answeredOutcome(completion.id, { acceptance, ...composed }),
    };
  }

  function handle(call: HttpCall): HttpReply | undefined {
    if (call.method !== "POST") return listModels(call, models, () => mint("req"));
    if (call.path !== "/v1/chat/completions") return undefined;
    const body = readBody(call);
    if (body.kind === "problem") return refusedReply(toRefusal(body.problem), mint("req"));
    const { request } = body;
    const { account = "default" } = accountOf(call);
    if (isObject(request) && request["stream"] === true) return stream(request, account);
    return wholeReply(answer(request, { account }), mint("req"));
  }

  return { judge, answer, handle };
}

/** Chunks have no event name: an error is told by its field alone. */
function errorChunk(fault: Extract<Fault, { kind: "stream-error" }>): { data: string } {
  const { type, message } = fault;
  return { data: JSON.stringify({ error: { message, type, param: null, code: type } }) };
}
