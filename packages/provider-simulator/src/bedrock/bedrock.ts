import { createHash } from "node:crypto";
import { toAcceptance } from "../anthropic/acceptance.ts";
import { createClaudeModels } from "../anthropic/claude-models.ts";
import type { CallResult } from "../anthropic/reply/answer.ts";
import type { CallOptions } from "../anthropic/request.ts";
import { breakStream } from "../break-stream.ts";
import type { Clock } from "../clock.ts";
import type { HttpCall, HttpFace, HttpReply } from "../http-face.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Delivery } from "../outcome-of-call.ts";
import { answeredOutcome, freeReply, type Ready, refusedReply, taken, wholeReply } from "../replies.ts";
import { type Ask, echo, type Reply, type Script } from "../script.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { Answered, Refusal, Verdict } from "../verdict.ts";
import { checkMessages } from "./check-messages.ts";
import { toEventMessage } from "./event-stream.ts";
import { failureText, toExceptionEvent } from "./failure-text.ts";
import { type BedrockModel, bedrockModels, geographicPrices, readModelId } from "./models.ts";
import {
  fromModel,
  needsProfile,
  notSigned,
  type Problem,
  serialization,
  toRefusal,
  unknownModel,
  validation,
} from "./problem.ts";
import { readCredentials } from "./read-credentials.ts";
import { readRequest } from "./request.ts";
import { toClaude } from "./to-claude.ts";
import { type ConverseResponse, toEvents, toResponse } from "./to-converse.ts";

/** Options of Amazon Bedrock as the simulator plays it. */
export interface BedrockOptions {
  /** @default the system's clock */
  clock?: Clock;
  /** @default `bytesTokenizer()` */
  tokenizer?: Tokenizer;
  /** Returns the model's answers. @default `echo` */
  script?: Script;
  /** Added to the known models, or put in their place, by their id without a profile. @default none */
  models?: Readonly<Record<string, BedrockModel>>;
}

/** Properties of a call beside its body. */
export interface BedrockCall {
  /** Whose credentials they are: caches never cross accounts. @default "default" */
  readonly account?: string;
}

export interface Bedrock extends HttpFace {
  /** Valid, or the exact refusal. `modelId` stands in the URL of a real call. An accepted prompt can be read from the cache at once. */
  judge(modelId: string, request: unknown, call?: BedrockCall): Verdict;
  /** A whole response: a fault that would have cut its stream is a reset connection, of status 0. */
  answer(modelId: string, request: unknown, call?: BedrockCall): Answered<ConverseResponse> | Refusal;
}

/**
 * Claude on Amazon Bedrock: `converse`, `converse-stream` and `count-tokens` under `/model/MODEL`. The service checks the request in its
 * own words and hands it to the model, whose rules, cache and prices are those of the Anthropic face. README.md lists what is assumed.
 */
export function createBedrock(options: BedrockOptions = {}): Bedrock {
  const { script = echo, models: given, ...rest } = options;
  const models = { ...bedrockModels, ...given };
  /** Of the call that is answered at this moment. */
  let current: JsonObject = {};
  const claude = createClaudeModels({
    ...rest,
    models: Object.values(models).flatMap((model) => [
      { ...model, id: `global.${model.id}` },
      { ...model, prices: geographicPrices(model.prices) },
    ]),
    script: (ask) => withCallIds(script({ ...ask, provider: "bedrock", request: current }), ask),
  });
  let calls = 0;

  interface Translated {
    readonly kind: "translated";
    readonly request: JsonObject;
    readonly call: CallOptions;
  }

  function translate(
    modelId: string,
    body: unknown,
    account: string,
    use: "inference" | "counting",
  ): Translated | Problem {
    const { id, profile } = readModelId(modelId);
    const model = Object.hasOwn(models, id) ? models[id] : undefined;
    if (model === undefined) return unknownModel();
    if (use === "inference" && profile === "none") return needsProfile(modelId);
    // bifrost#2169, pydantic-ai#3367: profiles cannot count.
    if (use === "counting" && profile !== "none") {
      return validation("The provided model doesn't support counting tokens.");
    }
    const read = readRequest(body);
    if (!("kind" in read)) return read;
    const problem = checkMessages(read.request);
    if (problem !== undefined) return problem;
    current = read.request;
    const name = profile === "global" ? `global.${id}` : id;
    const { request, betas } = toClaude(read.request, { id: name, maxOutputTokens: model.maxOutputTokens });
    return {
      kind: "translated",
      request,
      call: { account, version: VERSION, ...(betas.length === 0 ? {} : { betas }) },
    };
  }

  type Heard = Extract<CallResult, { kind: "answered" }>;

  function ask(modelId: string, body: unknown, account: string, delivery: Delivery): Heard | Refusal {
    const translated = translate(modelId, body, account, "inference");
    if (!("kind" in translated)) return toRefusal(translated);
    const result = claude.answer(translated.request, translated.call, delivery);
    if (!("kind" in result)) return toRefusal(fromModel(result.message));
    if (result.kind === "answered") return result;
    if (result.kind === "failed") return toRefusal(failureText(result.failure));
    return { kind: "refused", status: 0, headers: {}, body: undefined, message: "The connection was reset." };
  }

  function prepare(modelId: string, body: unknown, account: string): Ready<ConverseResponse> | Refusal {
    const heard = ask(modelId, body, account, "whole");
    if (heard.kind === "refused") return heard;
    const { answered, begun } = heard;
    const response = toResponse(answered.response, answered.usage);
    return { kind: "ready", responseId: answered.response.id, answered: { ...answered, response }, begun };
  }

  function stream(modelId: string, body: unknown, account: string, headers: Headers): HttpReply {
    const heard = ask(modelId, body, account, "stream");
    if (heard.kind === "refused") return refusedReply(heard, headers);
    const { answered, begun, fault, rawInputs } = heard;
    const events = toEvents(toResponse(answered.response, answered.usage), { rawInputs });
    return {
      kind: "stream",
      headers: { ...headers, "content-type": "application/vnd.amazon.eventstream" },
      encode: toEventMessage,
      ...breakStream(events, { fault, toErrorEvent: toExceptionEvent }),
      begun,
      outcome: answeredOutcome(answered.response.id, answered),
    };
  }

  /** The input is that of `converse`; bodies of the model's own form are not simulated. */
  function count(modelId: string, body: unknown, account: string, headers: Headers): HttpReply {
    const input = isObject(body) && isObject(body["input"]) ? body["input"]["converse"] : undefined;
    const translated = translate(modelId, input ?? {}, account, "counting");
    if (!("kind" in translated)) return refusedReply(toRefusal(translated), headers);
    const { max_tokens: _, ...request } = translated.request;
    const counted = claude.count(request, translated.call);
    if ("status" in counted) return refusedReply(toRefusal(fromModel(counted.message)), headers);
    return freeReply({ inputTokens: counted.inputTokens }, headers);
  }

  function handle(call: HttpCall): HttpReply | undefined {
    const [, encoded, operation] = /^\/model\/([^/]+)\/(converse|converse-stream|count-tokens)$/.exec(call.path) ?? [];
    if (encoded === undefined || call.method !== "POST") return undefined;
    const headers = { "x-amzn-requestid": requestIdOf(calls++) };
    const account = readCredentials(call);
    if (account === undefined) return refusedReply(toRefusal(notSigned()), headers);
    let body: unknown;
    let modelId: string;
    try {
      modelId = decodeURIComponent(encoded);
      body = JSON.parse(call.body);
    } catch (error) {
      return refusedReply(toRefusal(serialization((error as Error).message)), headers);
    }
    if (operation === "count-tokens") return count(modelId, body, account, headers);
    if (operation === "converse-stream") return stream(modelId, body, account, headers);
    return wholeReply(prepare(modelId, body, account), headers);
  }

  return {
    judge(modelId, body, { account = "default" } = {}) {
      const translated = translate(modelId, body, account, "inference");
      if (!("kind" in translated)) return toRefusal(translated);
      const prepared = claude.judge(translated.request, translated.call);
      if (!("kind" in prepared)) return toRefusal(fromModel(prepared.message));
      prepared.plan.commit();
      return toAcceptance(prepared);
    },
    answer: (modelId, body, { account = "default" } = {}) => taken(prepare(modelId, body, account)),
    handle,
  };
}

/** Requests of this service come under the rules before 2026-10-21: its own version of the API is "bedrock-2023-05-31". */
const VERSION = "2023-06-01";

type Headers = Readonly<Record<string, string>>;

/** Calls have ids of this service. They depend on nothing but their place, so that runs can be compared. */
function withCallIds(reply: Reply, { turn }: Ask): Reply {
  const words = reply.words.map((word, index) => {
    if (word.kind !== "tool-call" || word.id !== undefined) return word;
    return {
      ...word,
      id: `tooluse_${digestOf(`call ${turn} ${index}`, "base64url").replace(/[-_]/g, "0").slice(0, 22)}`,
    };
  });
  return { ...reply, words };
}

function requestIdOf(ordinal: number): string {
  return digestOf(`request ${ordinal}`, "hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

function digestOf(text: string, encoding: "base64url" | "hex"): string {
  return createHash("sha1").update(`bedrock:${text}`).digest(encoding);
}
