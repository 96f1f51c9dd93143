import { type Clock, systemClock } from "../clock.ts";
import type { Delivery } from "../outcome-of-call.ts";
import { PromptCache } from "../prompt-cache.ts";
import { echo, type Script } from "../script.ts";
import { bytesTokenizer, type Tokenizer } from "../tokenizer.ts";
import { createValueCheck } from "./check/check-body.ts";
import { createContentCheck } from "./check/check-content.ts";
import { ANTHROPIC_MODELS, type AnthropicModel } from "./models.ts";
import { type Prepared, prepare, type World } from "./prepare.ts";
import type { Problem } from "./problem.ts";
import { CacheDiagnostics } from "./prompt/diagnostics.ts";
import { createMeasures } from "./prompt/measure.ts";
import { type AnswerState, answerCall, type CallResult } from "./reply/answer.ts";
import type { CallOptions } from "./request.ts";
import { Threads } from "./threads.ts";

/** Options of the Messages API as the simulator plays it. */
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

export interface TokenCount {
  readonly inputTokens: number;
  readonly originalTokens: number;
}

/** The models behind an API, with their rules, prompt cache and script. Claude has them at its own host and at others. */
export interface ClaudeModels {
  readonly models: readonly AnthropicModel[];
  judge(value: unknown, call: CallOptions): Prepared | Problem;
  answer(value: unknown, call: CallOptions, delivery: Delivery): CallResult | Problem;
  count(value: unknown, call: CallOptions): TokenCount | Problem;
  /** Removes every cached prompt. */
  evict(): void;
}

export function createClaudeModels(options: AnthropicOptions = {}): ClaudeModels {
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
  const judge = (value: unknown, call: CallOptions): Prepared | Problem =>
    prepare(value, { endpoint: "messages", call, world });
  return {
    models,
    judge,
    answer(value, call, delivery) {
      const prepared = judge(value, call);
      return "kind" in prepared ? answerCall(prepared, state, delivery) : prepared;
    },
    count(value, call) {
      const prepared = prepare(value, { endpoint: "count_tokens", call, world });
      if (!("kind" in prepared)) return prepared;
      return { inputTokens: prepared.prompt.prefix.tokens, originalTokens: prepared.originalTokens };
    },
    evict: () => world.cache.clear(),
  };
}
