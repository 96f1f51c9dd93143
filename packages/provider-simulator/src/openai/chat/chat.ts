import { breakStream } from "../../break-stream.ts";
import { type Clock, systemClock } from "../../clock.ts";
import type { Failure, Fault } from "../../faults.ts";
import { hearScript } from "../../hear.ts";
import type { HttpCall, HttpFace, HttpReply, ServerSentEvent } from "../../http-face.ts";
import { joinTexts } from "../../join-texts.ts";
import { isObject, type JsonObject } from "../../json.ts";
import { priceUsd } from "../../price.ts";
import { askedFor } from "../../prompt.ts";
import { PromptCache } from "../../prompt-cache.ts";
import { answeredOutcome, type Ready, refusedReply, taken, wholeReply } from "../../replies.ts";
import { echo, type Reply, type Script } from "../../script.ts";
import { speak } from "../../speak.ts";
import { bytesTokenizer, type Tokenizer } from "../../tokenizer.ts";
import type { Usage } from "../../usage.ts";
import type { Answered, Refusal, Verdict } from "../../verdict.ts";
import { toolNames } from "../check-tools.ts";
import { failureText } from "../failure-text.ts";
import { faultRefusal, type OpenAiCall, requestHeaders } from "../http-replies.ts";
import { createIdMint } from "../mint-id.ts";
import { type OpenAiModel, openAiModels } from "../models.ts";
import { toRefusal } from "../problem.ts";
import { receiveCall } from "../receive-call.ts";
import { type CompatibleProfile, openAiProfile } from "./compatible-profile.ts";
import { type ChatCompletion, toChunks, toCompletion } from "./completion.ts";
import { createChatMeter, type MeasuredChat } from "./measure-chat.ts";

/** Options of Chat Completions as the simulator plays it. */
export interface OpenAiChatOptions {
  /** @default the system's clock */
  clock?: Clock;
  /** @default `bytesTokenizer()` */
  tokenizer?: Tokenizer;
  /** Returns the model's answers. @default `echo` */
  script?: Script;
  /** Added to the known models, or put in their place. @default none */
  models?: Readonly<Record<string, OpenAiModel>>;
  /** The server to play: one of `compatibleProfiles`, or your own. @default OpenAI itself */
  profile?: CompatibleProfile;
}

export interface OpenAiChat extends HttpFace {
  /** Valid, or the exact refusal. An accepted prompt can be read from the cache at once. */
  judge(request: unknown, call?: OpenAiCall): Verdict;
  /** A whole completion: a fault that would have cut its stream is a reset connection, of status 0. */
  answer(request: unknown, call?: OpenAiCall): Answered<ChatCompletion> | Refusal;
}

/** OpenAI's Chat Completions API, or a server that is compatible with it: `/v1/chat/completions` and the models. */
export function createOpenAiChat(options: OpenAiChatOptions = {}): OpenAiChat {
  const { clock = systemClock, tokenizer = bytesTokenizer(), script = echo, profile = openAiProfile } = options;
  const models = { ...(profile.model === undefined ? openAiModels : {}), ...options.models };
  const mint = createIdMint();
  const measure = createChatMeter({ tokenizer, models, profile, cache: new PromptCache(clock) });
  let turn = 0;

  interface Composed {
    readonly completion: ChatCompletion;
    readonly usage: Usage;
    readonly priceUsd: number;
    readonly fault?: Fault;
  }

  function compose(measured: MeasuredChat): Composed {
    const { request, model, prompt, messages, maxOutputTokens, finishReason } = measured;
    const heard: Reply = hearScript(script, {
      provider: "openai-chat",
      purpose: "answer",
      turn,
      request,
      inputTokens: prompt.prefix.tokens,
      tools: toolNames(request["tools"]),
      ...askedFor(messages),
    });
    // Only now: a script that throws has not answered.
    turn++;
    const reply: Reply = { ...heard, words: finishReason === undefined ? joinTexts(heard.words) : [] };
    const thinking = model.reasoning === "none" ? "left-out" : "said";
    const speech = speak(reply, { tokenizer, maxOutputTokens, thinking });
    const { outputTokens, thinkingTokens } = speech;
    const usage = { ...measured.accepted.acceptance.usage, outputTokens, thinkingTokens };
    const completion = toCompletion({
      reply,
      speech,
      usage,
      model: model.id,
      createdAtMs: clock.now(),
      mint,
      profile,
      finishReason,
    });
    const { fault } = heard;
    return { completion, usage, priceUsd: priceUsd(usage, model.prices), fault };
  }

  function judge(request: unknown, { account = "default" }: OpenAiCall = {}): Verdict {
    const measured = measure(request, account);
    if (measured.kind === "refused") return measured;
    measured.accepted.commit();
    return measured.accepted.acceptance;
  }

  function prepare(request: unknown, account: string): Ready<ChatCompletion> | Refusal {
    const measured = measure(request, account);
    if (measured.kind === "refused") return measured;
    const { completion: response, usage, priceUsd: price, fault } = compose(measured);
    const refusal = faultRefusal(fault, "whole");
    if (refusal !== undefined) return refusal;
    const { acceptance, commit } = measured.accepted;
    const answered = { kind: "answered", acceptance, response, usage, priceUsd: price } as const;
    return { kind: "ready", responseId: response.id, answered, begun: commit };
  }

  function stream(request: JsonObject, account: string): HttpReply {
    const measured = measure(request, account);
    if (measured.kind === "refused") return refusedReply(measured, requestHeaders(mint("req")));
    const composed = compose(measured);
    const { fault, completion } = composed;
    const refusal = faultRefusal(fault, "stream");
    if (refusal !== undefined) return refusedReply(refusal, requestHeaders(mint("req")));
    const { acceptance, commit } = measured.accepted;
    const wanted = isObject(request["stream_options"]) ? request["stream_options"]["include_usage"] === true : false;
    const chunks = toChunks(completion, wanted || profile.streamUsage === "always" ? "included" : "left-out");
    return {
      kind: "stream",
      headers: requestHeaders(mint("req")),
      ...breakStream(chunks, { fault, toErrorEvent: toErrorChunk }),
      begun: commit,
      outcome: answeredOutcome(completion.id, { acceptance, ...composed }),
    };
  }

  function handle(call: HttpCall): HttpReply | undefined {
    const received = receiveCall(call, {
      paths: ["/v1/chat/completions"],
      models,
      keys: profile.keys,
      requestId: () => mint("req"),
    });
    if (received?.kind !== "received") return received;
    const { request, account } = received;
    if (isObject(request) && request["stream"] === true) return stream(request, account);
    return wholeReply(prepare(request, account), requestHeaders(mint("req")));
  }

  return {
    judge,
    answer: (request, { account = "default" } = {}) => taken(prepare(request, account)),
    handle,
  };
}

/** Chunks have no event name: an error is told by its field alone. */
function toErrorChunk(failure: Failure): ServerSentEvent {
  return { data: JSON.stringify(toRefusal(failureText(failure)).body) };
}
