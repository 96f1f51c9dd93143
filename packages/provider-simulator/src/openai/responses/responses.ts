import { breakStream } from "../../break-stream.ts";
import { type Clock, systemClock } from "../../clock.ts";
import type { Fault } from "../../faults.ts";
import type { HttpCall, HttpFace, HttpReply } from "../../http-face.ts";
import { isObject } from "../../json.ts";
import type { Delivery } from "../../outcome-of-call.ts";
import { priceUsd } from "../../price.ts";
import { PromptCache } from "../../prompt-cache.ts";
import { answeredOutcome, freeReply, type Ready, refusedReply, taken, wholeReply } from "../../replies.ts";
import { echo, type Script } from "../../script.ts";
import { bytesTokenizer, type Tokenizer } from "../../tokenizer.ts";
import type { Answered, Refusal, Verdict } from "../../verdict.ts";
import { failureText } from "../failure-text.ts";
import { faultRefusal, type OpenAiCall, requestHeaders } from "../http-replies.ts";
import { createIdMint } from "../mint-id.ts";
import { type OpenAiModel, openAiModels } from "../models.ts";
import { toRefusal } from "../problem.ts";
import { receiveCall } from "../receive-call.ts";
import { createResponseComposer, textOf } from "./compose-response.ts";
import { toErrorEvent, toErrorEvents, toEvents } from "./events.ts";
import { createResponsesMeter, type Measuring } from "./measure-responses.ts";
import { toCompaction, toUserMessage } from "./output.ts";
import { draftResponse, type ResponseObject, type ResponseUsage, toResponseUsage } from "./response-object.ts";

/** Options of the Responses API as the simulator plays it. */
export interface OpenAiResponsesOptions {
  /** @default the system's clock */
  clock?: Clock;
  /** @default `bytesTokenizer()` */
  tokenizer?: Tokenizer;
  /** Returns the model's answers. @default `echo` */
  script?: Script;
  /** Added to the known models, or put in their place. @default none */
  models?: Readonly<Record<string, OpenAiModel>>;
  /** How a streaming caller learns that the prompt is too large: both ways were seen. @default "status" */
  overflow?: "status" | "in-stream";
}

/** The answer to a count of tokens. */
export interface InputTokens {
  readonly object: "response.input_tokens";
  readonly input_tokens: number;
}

/** A conversation that the service compacted. */
export interface CompactedResponse {
  readonly id: string;
  readonly object: "response.compaction";
  readonly created_at: number;
  /** All user messages, then one compaction item. */
  readonly output: readonly object[];
  readonly usage: ResponseUsage;
}

export interface OpenAiResponses extends HttpFace {
  /** Valid, or the exact refusal. An accepted prompt can be read from the cache at once. */
  judge(request: unknown, call?: OpenAiCall): Verdict;
  /** A whole response: a fault that would have cut its stream is a reset connection, of status 0. */
  answer(request: unknown, call?: OpenAiCall): Answered<ResponseObject> | Refusal;
  countInputTokens(request: unknown, call?: OpenAiCall): InputTokens | Refusal;
  compact(request: unknown, call?: OpenAiCall): Answered<CompactedResponse> | Refusal;
}

/** OpenAI's Responses API: `/v1/responses`, `/v1/responses/input_tokens`, `/v1/responses/compact` and the models. */
export function createOpenAiResponses(options: OpenAiResponsesOptions = {}): OpenAiResponses {
  const { clock = systemClock, tokenizer = bytesTokenizer(), script = echo, overflow = "status" } = options;
  const models = { ...openAiModels, ...options.models };
  const mint = createIdMint();
  const { read, measure } = createResponsesMeter({ tokenizer, models, cache: new PromptCache(clock) });
  const composer = createResponseComposer({ clock, tokenizer, script, mint, read });

  function judge(request: unknown, { account = "default" }: OpenAiCall = {}): Verdict {
    const measured = measure(request, "create", account);
    if (measured.kind !== "measured") return toRefusal(measured.problem);
    measured.accepted.commit();
    return measured.accepted.acceptance;
  }

  function prepare(request: unknown, account: string): Ready<ResponseObject> | Refusal {
    const measured = measure(request, "create", account);
    if (measured.kind !== "measured") return toRefusal(measured.problem);
    const composed = composer.compose(measured);
    const refusal = refusalBy(composed.fault, "whole");
    if (refusal !== undefined) return refusal;
    composed.store();
    const { acceptance, commit } = measured.accepted;
    const { finished: response, usage, priceUsd: price } = composed;
    const answered = { kind: "answered", acceptance, response, usage, priceUsd: price } as const;
    return { kind: "ready", responseId: response.id, answered, begun: commit };
  }

  function countInputTokens(request: unknown, { account = "default" }: OpenAiCall = {}): InputTokens | Refusal {
    const measured = measure(request, "count", account);
    if (measured.kind !== "measured") return toRefusal(measured.problem);
    return { object: "response.input_tokens", input_tokens: measured.prompt.prefix.tokens };
  }

  function prepareCompaction(request: unknown, account: string): Ready<CompactedResponse> | Refusal {
    const measured = measure(request, "compact", account);
    if (measured.kind !== "measured") return toRefusal(measured.problem);
    const { reply, speech } = composer.summarize(measured);
    const refusal = faultRefusal(reply.fault, "whole");
    if (refusal !== undefined) return refusal;
    const { acceptance, commit } = measured.accepted;
    const { outputTokens, thinkingTokens } = speech;
    const usage = { ...acceptance.usage, outputTokens, thinkingTokens };
    const said = measured.items.filter(({ speaker }) => speaker === "user").map(({ raw }) => raw["content"]);
    const response: CompactedResponse = {
      id: mint("resp"),
      object: "response.compaction",
      created_at: Math.floor(clock.now() / 1000),
      output: [...said.map((content) => toUserMessage(content, mint)), toCompaction(textOf(speech), mint)],
      usage: toResponseUsage(usage),
    };
    const price = priceUsd(usage, measured.model.prices);
    const answered = { kind: "answered", acceptance, response, usage, priceUsd: price } as const;
    return { kind: "ready", responseId: response.id, answered, begun: commit };
  }

  function stream(request: unknown, account: string): HttpReply {
    const measured = measure(request, "create", account);
    if (measured.kind !== "measured") return refuseStream(measured);
    const composed = composer.compose(measured);
    const { fault } = composed;
    const refusal = refusalBy(fault, "stream");
    if (refusal !== undefined) return refusedReply(refusal, requestHeaders(mint("req")));
    composed.store();
    const { acceptance, commit } = measured.accepted;
    const wanted = isObject(measured.request["stream_options"]) ? measured.request["stream_options"] : {};
    const obfuscation = wanted["include_obfuscation"] === false ? "left-out" : "included";
    const events = toEvents(composed.draft, composed.finished, { obfuscation });
    return {
      kind: "stream",
      headers: requestHeaders(mint("req")),
      ...breakStream(events, { fault, toErrorEvent: (failure, index) => toErrorEvent(failureText(failure), index) }),
      begun: commit,
      outcome: answeredOutcome(composed.finished.id, { acceptance, ...composed }),
    };
  }

  function refuseStream(measured: Exclude<Measuring, { kind: "measured" }>): HttpReply {
    const refusal = toRefusal(measured.problem);
    if (measured.kind !== "overflow" || overflow === "status")
      return refusedReply(refusal, requestHeaders(mint("req")));
    const draft = draftResponse({ ...measured, id: mint("resp"), createdAtMs: clock.now() });
    return {
      kind: "stream",
      headers: requestHeaders(mint("req")),
      events: toErrorEvents(draft, measured.problem),
      begun: () => undefined,
      outcome: { kind: "refused", status: refusal.status, message: refusal.message },
    };
  }

  function handle(call: HttpCall): HttpReply | undefined {
    const received = receiveCall(call, {
      paths: ["/v1/responses", "/v1/responses/input_tokens", "/v1/responses/compact"],
      models,
      keys: "required",
      requestId: () => mint("req"),
    });
    if (received?.kind !== "received") return received;
    const { request, account } = received;
    if (call.path === "/v1/responses/compact")
      return wholeReply(prepareCompaction(request, account), requestHeaders(mint("req")));
    if (call.path === "/v1/responses/input_tokens") {
      const counted = countInputTokens(request, { account });
      return "kind" in counted
        ? refusedReply(counted, requestHeaders(mint("req")))
        : freeReply(counted, requestHeaders(mint("req")));
    }
    if (isObject(request) && request["stream"] === true) return stream(request, account);
    return wholeReply(prepare(request, account), requestHeaders(mint("req")));
  }

  return {
    judge,
    answer: (request, { account = "default" } = {}) => taken(prepare(request, account)),
    countInputTokens,
    compact: (request, { account = "default" } = {}) => taken(prepareCompaction(request, account)),
    handle,
  };
}

/** A response that failed is an answer here, which says so itself. */
function refusalBy(fault: Fault | undefined, delivery: Delivery): Refusal | undefined {
  return fault?.kind === "response-failed" ? undefined : faultRefusal(fault, delivery);
}
