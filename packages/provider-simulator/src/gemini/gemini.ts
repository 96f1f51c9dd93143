import { breakStream } from "../break-stream.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Fault } from "../faults.ts";
import { hearScript } from "../hear.ts";
import type { HttpCall, HttpFace, HttpReply } from "../http-face.ts";
import { asArray, isObject, type JsonObject } from "../json.ts";
import type { Delivery } from "../outcome-of-call.ts";
import { priceUsd } from "../price.ts";
import { askedFor } from "../prompt.ts";
import { PromptCache } from "../prompt-cache.ts";
import { answeredOutcome, freeReply, type Ready, refusalOf, refusedReply, taken, wholeReply } from "../replies.ts";
import { echo, type Script } from "../script.ts";
import { speak } from "../speak.ts";
import { bytesTokenizer, type Tokenizer } from "../tokenizer.ts";
import type { Answered, Refusal, Verdict } from "../verdict.ts";
import { declarationsOf } from "./check-settings.ts";
import { failureRefusal } from "./failure-text.ts";
import { createMeter, type MeasuredPrompt } from "./measure.ts";
import { type GeminiModel, geminiModels } from "./models.ts";
import { keyMissing, modelNotFound, toRefusal, unreadable } from "./problem.ts";
import { type GenerateContentResponse, toChunks, toResponse } from "./response.ts";

/** Options of Gemini as the simulator plays it. */
export interface GeminiOptions {
  /** @default the system's clock */
  clock?: Clock;
  /** @default `bytesTokenizer()` */
  tokenizer?: Tokenizer;
  /** Returns the model's answers. @default `echo` */
  script?: Script;
  /** Added to the known models, or put in their place. @default none */
  models?: Readonly<Record<string, GeminiModel>>;
}

/** Properties of a call beside its body. */
export interface GeminiCall {
  /** Whose key it is: caches never cross accounts. @default "default" */
  readonly account?: string;
}

export interface Gemini extends HttpFace {
  /** Valid, or the exact refusal. `model` stands in the URL of a real call. An accepted prompt can be read from the cache at once. */
  judge(model: string, request: unknown, call?: GeminiCall): Verdict;
  /** A whole response: a fault that would have cut its stream is a reset connection, of status 0. */
  answer(model: string, request: unknown, call?: GeminiCall): Answered<GenerateContentResponse> | Refusal;
}

/**
 * The Gemini Developer API: `generateContent`, `streamGenerateContent`, `countTokens` and the models, under `/v1beta/models`. Cached
 * contents, files, batches, interactions and long decodes are not simulated. README.md lists what is assumed.
 */
export function createGemini(options: GeminiOptions = {}): Gemini {
  const { clock = systemClock, tokenizer = bytesTokenizer(), script = echo } = options;
  const models = { ...geminiModels, ...options.models };
  const measureFor = createMeter({ tokenizer, cache: new PromptCache(clock) });
  let turn = 0;

  interface Composed extends Ready<GenerateContentResponse> {
    readonly fault?: Fault;
  }

  function measure(id: string, body: unknown, account: string, method: string): MeasuredPrompt | Refusal {
    const model = Object.hasOwn(models, id) ? models[id] : undefined;
    return model === undefined ? toRefusal(modelNotFound(id, method)) : measureFor(body, model, account);
  }

  function compose(measured: MeasuredPrompt, delivery: Delivery): Composed | Refusal {
    const { request, model, entries, prompt, accepted, maxOutputTokens } = measured;
    const { acceptance, commit: begun } = accepted;
    const reply = hearScript(script, {
      provider: "gemini",
      purpose: "answer",
      turn,
      request,
      inputTokens: prompt.prefix.tokens,
      tools: declarationsOf(request).map(({ name }) => name),
      ...askedFor(entries),
    });
    // Only now: a script that throws has not answered.
    const ordinal = turn++;
    const refusal = refusalOf(reply.fault, delivery, failureRefusal);
    if (refusal !== undefined) return refusal;
    const { generationConfig = {} } = request;
    const stopSequences = asArray(generationConfig["stopSequences"]).map(String);
    const speech = speak(reply, { tokenizer, maxOutputTokens, thinking: "said", stopSequences });
    const { outputTokens, thinkingTokens } = speech;
    const usage = { ...acceptance.usage, outputTokens, thinkingTokens };
    const thoughts = includesThoughts(generationConfig) ? "included" : "left-out";
    const response = toResponse({ speech, usage, model, ordinal, thoughts });
    const answered = {
      kind: "answered",
      acceptance,
      response,
      usage,
      priceUsd: priceUsd(usage, model.prices),
    } as const;
    const { responseId } = response;
    return { kind: "ready", responseId, answered, begun, fault: reply.fault };
  }

  function prepare(id: string, body: unknown, account: string): Ready<GenerateContentResponse> | Refusal {
    const measured = measure(id, body, account, "generateContent");
    return measured.kind === "refused" ? measured : compose(measured, "whole");
  }

  function stream(id: string, body: unknown, account: string, form: "events" | "array"): HttpReply {
    const measured = measure(id, body, account, "streamGenerateContent");
    if (measured.kind === "refused") return refusedReply(measured);
    const composed = compose(measured, form === "events" ? "stream" : "whole");
    if (composed.kind === "refused") return refusedReply(composed);
    const { answered, begun, fault, responseId } = composed;
    const events = toChunks(answered.response, answered.usage);
    const outcome = answeredOutcome(responseId, answered);
    // Without `alt=sse` the service streams one array (hydra#855).
    if (form === "array") {
      return {
        kind: "json",
        status: 200,
        headers: {},
        body: events.map(({ data }) => JSON.parse(data)),
        begun,
        outcome,
      };
    }
    return { kind: "stream", headers: {}, ...breakStream(events, { fault, toErrorEvent }), begun, outcome };
  }

  /** Contents alone, or a whole request; the first ignores everything else, as the client sends nothing else. */
  function count(id: string, body: unknown, account: string): HttpReply {
    const whole = isObject(body) ? body["generateContentRequest"] : undefined;
    const measured = measure(id, isObject(whole) ? whole : body, account, "countTokens");
    if (measured.kind === "refused") return refusedReply(measured);
    const totalTokens = measured.prompt.prefix.tokens;
    return freeReply({ totalTokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: totalTokens }] });
  }

  function handle(call: HttpCall): HttpReply | undefined {
    const [, id, method] = /^\/v1(?:beta|alpha)?\/models(?:\/([^/:]+)(?::(\w+))?)?$/.exec(call.path) ?? [];
    const query = new URLSearchParams(call.query);
    // Without a method, the path is the list of models, which other providers have, too: their keys are in other headers.
    const isOwn = method !== undefined || call.path.startsWith("/v1beta/") || call.path.startsWith("/v1alpha/");
    if (!isOwn || (method === undefined) !== (call.method === "GET") || !call.path.includes("/models"))
      return undefined;
    const account = call.headers["x-goog-api-key"] ?? query.get("key") ?? call.headers["authorization"];
    if (!account) return refusedReply(toRefusal(keyMissing()));
    if (method === undefined) return listModels(id);
    const body = parse(call.body);
    if (body === undefined) return refusedReply(toRefusal(unreadable([{ field: "", description: NO_JSON }])));
    switch (method) {
      case "generateContent":
        return wholeReply(prepare(id!, body.value, account));
      case "streamGenerateContent":
        return stream(id!, body.value, account, query.get("alt") === "sse" ? "events" : "array");
      case "countTokens":
        return count(id!, body.value, account);
      default:
        return refusedReply(toRefusal(modelNotFound(id!, method)));
    }
  }

  function listModels(id: string | undefined): HttpReply {
    if (id === undefined) return freeReply({ models: Object.values(models).map(describe) });
    const model = Object.hasOwn(models, id) ? models[id] : undefined;
    return model === undefined
      ? refusedReply(toRefusal(modelNotFound(id, "generateContent")))
      : freeReply(describe(model));
  }

  return {
    judge(model, request, { account = "default" } = {}) {
      const measured = measure(model, request, account, "generateContent");
      if (measured.kind === "refused") return measured;
      measured.accepted.commit();
      return measured.accepted.acceptance;
    },
    answer: (model, request, { account = "default" } = {}) => taken(prepare(model, request, account)),
    handle,
  };
}

const NO_JSON = "Invalid JSON payload received. Expected a value.";

function parse(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

function includesThoughts({ thinkingConfig }: JsonObject): boolean {
  return isObject(thinkingConfig) && thinkingConfig["includeThoughts"] === true;
}

/** An error is a chunk like any other (types and code of the client). */
const toErrorEvent = (failure: Parameters<typeof failureRefusal>[0]): { data: string } => ({
  data: JSON.stringify(failureRefusal(failure).body),
});

function describe({ id, maxInputTokens, maxOutputTokens }: GeminiModel): object {
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    inputTokenLimit: maxInputTokens,
    outputTokenLimit: maxOutputTokens,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    thinking: true,
  };
}
