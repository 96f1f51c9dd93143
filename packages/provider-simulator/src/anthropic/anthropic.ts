import { type Clock, systemClock } from "../clock.ts";
import type { HttpCall, HttpFace, HttpReply } from "../http-face.ts";
import type { Delivery } from "../outcome-of-call.ts";
import { PromptCache } from "../prompt-cache.ts";
import { echo, type Script } from "../script.ts";
import { bytesTokenizer, type Tokenizer } from "../tokenizer.ts";
import type { Answered, Refusal } from "../verdict.ts";
import { type AnthropicAcceptance, toAcceptance } from "./acceptance.ts";
import { createValueCheck } from "./check/check-body.ts";
import { createContentCheck } from "./check/check-content.ts";
import { handleHttp, isAnthropicCall } from "./http.ts";
import { ANTHROPIC_MODELS, type AnthropicModel } from "./models.ts";
import { prepare, type World } from "./prepare.ts";
import { mintId, refusal } from "./problem.ts";
import { CacheDiagnostics } from "./prompt/diagnostics.ts";
import { createMeasures } from "./prompt/measure.ts";
import { type AnswerState, answerCall, type CallResult } from "./reply/answer.ts";
import type { AnthropicMessage } from "./reply/message.ts";
import type { CallOptions } from "./request.ts";
import { Threads } from "./threads.ts";

export interface AnthropicOptions {
  /** @default the system's clock */
  clock?: Clock;
  /** @default 3.5 bytes a token; use `virtualTokenizer(seed)` where a claim must hold for any tokenizer */
  tokenizer?: Tokenizer;
  /** Returns the model's answers. @default repeats the request */
  script?: Script;
  /** Added to the known models; replaces those with the same id. */
  models?: readonly AnthropicModel[];
  /** Whether the account is under the rule that thinking is bound to its conversation. @default "error" */
  bindingEnforcement?: "error" | "observe";
}

export interface Anthropic extends HttpFace {
  /** Judges a request as if it were sent: bills it, and caches its marked prefixes. */
  judge(request: unknown, call?: CallOptions): AnthropicAcceptance | Refusal;
  /**
   * Judges a request and lets the script answer, never as a stream: a fault that cuts a stream becomes a reset
   * connection, with status 0.
   */
  answer(request: unknown, call?: CallOptions): Answered<AnthropicMessage> | Refusal;
  /** Only counts tokens: no cache, no bill. */
  countTokens(request: unknown, call?: CallOptions): { inputTokens: number; originalTokens: number } | Refusal;
  /** Removes every cached prompt early, as a service may: the next request writes it again. */
  evict(): void;
  handle(call: HttpCall): HttpReply | undefined;
}

interface AnswerOptions {
  readonly requestId: string;
  readonly delivery: Delivery;
}

/**
 * Creates a simulated Anthropic service with its rules, its prompt cache and its prices. Each instance is independent.
 */
export function createAnthropic(options: AnthropicOptions = {}): Anthropic {
  const { clock = systemClock, tokenizer = bytesTokenizer(), script = echo } = options;
  const replaced = new Set(options.models?.map(({ id }) => id));
  const models = [...(options.models ?? []), ...ANTHROPIC_MODELS.filter(({ id }) => !replaced.has(id))];
  const world: World = {
    models,
    measures: createMeasures(tokenizer),
    cache: new PromptCache(clock),
    threads: new Threads(clock),
    checkValue: createValueCheck(),
    checkContent: createContentCheck(),
    bindingEnforcement: options.bindingEnforcement ?? "error",
  };
  const state: AnswerState = { world, tokenizer, script, diagnostics: new CacheDiagnostics(), turn: 0, answered: 0 };
  let requests = 0;

  const answer = (value: unknown, call: CallOptions, answerOptions: AnswerOptions): CallResult | Refusal => {
    const prepared = prepare(value, { endpoint: "messages", call, world });
    return "kind" in prepared
      ? answerCall(prepared, state, answerOptions.delivery)
      : refusal(prepared, answerOptions.requestId);
  };
  const count = (value: unknown, call: CallOptions, requestId: string) => {
    const prepared = prepare(value, { endpoint: "count_tokens", call, world });
    if (!("kind" in prepared)) return refusal(prepared, requestId);
    return { inputTokens: prepared.prompt.prefix.tokens, originalTokens: prepared.originalTokens };
  };

  return {
    judge(value, call = {}) {
      const ordinal = requests++;
      const prepared = prepare(value, { endpoint: "messages", call, world });
      if (!("kind" in prepared)) return refusal(prepared, mintId("req", ordinal));
      prepared.plan.commit();
      return toAcceptance(prepared);
    },
    answer(value, call = {}) {
      const requestId = mintId("req", requests++);
      const result = answer(value, call, { requestId, delivery: "whole" });
      switch (result.kind) {
        case "answered":
          result.begun();
          return result.answered;
        case "failed":
          return refusal(result.problem, requestId);
        case "reset":
          return { kind: "refused", status: 0, headers: {}, body: null, message: "connection reset" };
        case "refused":
          return result;
      }
    },
    countTokens: (value, call = {}) => count(value, call, mintId("req", requests++)),
    evict: () => world.cache.clear(),
    handle(call) {
      if (!isAnthropicCall(call)) return undefined;
      const requestId = mintId("req", requests++);
      return handleHttp(call, {
        models,
        requestId,
        count: (value, callOptions) => count(value, callOptions, requestId),
        answer: (value, callOptions, delivery) => answer(value, callOptions, { requestId, delivery }),
      });
    },
  };
}
