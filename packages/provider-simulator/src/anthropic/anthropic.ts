import type { HttpCall, HttpFace, HttpReply } from "../http-face.ts";
import type { Delivery } from "../outcome-of-call.ts";
import type { Answered, Refusal } from "../verdict.ts";
import { type AnthropicAcceptance, toAcceptance } from "./acceptance.ts";
import { type AnthropicOptions, createClaudeModels, type TokenCount } from "./claude-models.ts";
import { handleHttp, isAnthropicCall } from "./http.ts";
import { mintId, refusal } from "./problem.ts";
import type { CallResult } from "./reply/answer.ts";
import { failureText } from "./reply/failure-text.ts";
import type { AnthropicMessage } from "./reply/message.ts";
import type { CallOptions } from "./request.ts";

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
  const claude = createClaudeModels(options);
  let requests = 0;

  const answer = (value: unknown, call: CallOptions, answerOptions: AnswerOptions): CallResult | Refusal => {
    const result = claude.answer(value, call, answerOptions.delivery);
    return "kind" in result ? result : refusal(result, answerOptions.requestId);
  };
  const count = (value: unknown, call: CallOptions, requestId: string): TokenCount | Refusal => {
    const counted = claude.count(value, call);
    return "status" in counted ? refusal(counted, requestId) : counted;
  };

  return {
    judge(value, call = {}) {
      const ordinal = requests++;
      const prepared = claude.judge(value, call);
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
          return refusal(failureText(result.failure), requestId);
        case "reset":
          return { kind: "refused", status: 0, headers: {}, body: null, message: "connection reset" };
        case "refused":
          return result;
      }
    },
    countTokens: (value, call = {}) => count(value, call, mintId("req", requests++)),
    evict: () => claude.evict(),
    handle(call) {
      if (!isAnthropicCall(call)) return undefined;
      const requestId = mintId("req", requests++);
      return handleHttp(call, {
        models: claude.models,
        requestId,
        count: (value, callOptions) => count(value, callOptions, requestId),
        answer: (value, callOptions, delivery) => answer(value, callOptions, { requestId, delivery }),
      });
    },
  };
}
