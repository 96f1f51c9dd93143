import type { Refusal } from "../../verdict.ts";
import type { OpenAiModel } from "../models.ts";
import { invalidRequest, type Problem, toRefusal } from "../problem.ts";

export interface OverflowNumbers {
  readonly inputTokens: number;
  /** The requested value; 0 if the request has none. */
  readonly outputTokens: number;
  readonly windowTokens: number;
}

/** How a server treats a prompt that does not fit. */
export type Overflow =
  | {
      readonly kind: "refuse";
      /** Whether the output that was asked for has to fit as well. */
      readonly counts: "input" | "input-and-output";
      readonly refusal: (numbers: OverflowNumbers) => Refusal;
    }
  /** HTTP 200, the prompt cut from the front, usage of what was kept; with no room left, an empty answer. */
  | { readonly kind: "truncate"; readonly room: "left" | "none" }
  /** HTTP 200, with more input than the window holds; with a finish reason, that instead of an answer. */
  | { readonly kind: "accept"; readonly finishReason?: string };

/** A server that speaks Chat Completions in its own way. */
export interface CompatibleProfile {
  readonly overflow: Overflow;
  /** Serves every id it is asked for, as local servers do. Undefined: the models of OpenAI. */
  readonly model?: Omit<OpenAiModel, "id">;
  /** Local servers want no key. What hosted ones say to a call without one was not seen. */
  readonly keys: "required" | "not-asked";
  readonly unknownFields: "refused" | "ignored";
  /** What is said when calls are left without results; accepted where there is no such check. */
  readonly unansweredCalls: "openai" | "accepted" | ((messageIndex: number) => Problem);
  /** Several servers number the calls of each answer anew, or not at all. */
  readonly toolIds: "unique" | { readonly always: string };
  readonly thinking: "hidden" | "reasoning_content";
  readonly usageDetails: "openai" | "none" | "deepseek";
  readonly streamUsage: "on-request" | "always";
}

export function serving(windowTokens: number, cache: OpenAiModel["cache"] = { kind: "none" }): Omit<OpenAiModel, "id"> {
  return {
    windowTokens,
    maxInputTokens: windowTokens,
    // Whatever the window leaves.
    maxOutputTokens: Number.MAX_SAFE_INTEGER,
    // Prices differ by host and are not simulated; give `models` to have them.
    prices: { input: 0, output: 0, cacheReadMultiple: 0.1, cacheWriteMultiple: 1, longCacheWriteMultiple: 1 },
    cache,
    reasoning: "always",
    sampling: "accepted",
  };
}

/** Most servers check less than OpenAI does. */
export const TOLERANT: Omit<CompatibleProfile, "overflow"> = {
  keys: "not-asked",
  unknownFields: "ignored",
  unansweredCalls: "accepted",
  toolIds: "unique",
  thinking: "hidden",
  usageDetails: "none",
  streamUsage: "on-request",
};

export interface RefusingOptions {
  /** @default 400 */
  status?: number;
  /** @default "input" */
  counts?: "input" | "input-and-output";
}

export interface WordingOptions extends RefusingOptions {
  /** Fields beside the message. @default none */
  error?: object;
}

/** A refusal with a body of its own. */
export function refusing(
  body: (numbers: OverflowNumbers) => { body: unknown; message: string },
  { status = 400, counts = "input" }: RefusingOptions = {},
): Overflow {
  return {
    kind: "refuse",
    counts,
    refusal: (numbers) => ({ kind: "refused", status, headers: {}, ...body(numbers) }),
  };
}

/** The common case: `{error: {message, ...}}`. */
export function wording(
  message: (numbers: OverflowNumbers) => string,
  { error = {}, ...options }: WordingOptions = {},
): Overflow {
  return refusing(
    (numbers) => ({ body: { error: { message: message(numbers), ...error } }, message: message(numbers) }),
    options,
  );
}

export const requested = ({ inputTokens, outputTokens, windowTokens }: OverflowNumbers): string =>
  `This model's maximum context length is ${windowTokens} tokens. However, you requested ${inputTokens + outputTokens} tokens (${inputTokens} in the messages, ${outputTokens} in the completion). Please reduce the length of the messages or completion.`;

const resulted = ({ inputTokens, windowTokens }: OverflowNumbers): string =>
  `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`;

/** OpenAI itself: open-chat-studio#463 for a prompt that is too large, langchain#24058 for one that leaves no room. */
export const openAiProfile: CompatibleProfile = {
  overflow: {
    kind: "refuse",
    counts: "input-and-output",
    refusal: (numbers) =>
      toRefusal(
        invalidRequest(numbers.inputTokens > numbers.windowTokens ? resulted(numbers) : requested(numbers), {
          param: "messages",
          code: "context_length_exceeded",
        }),
      ),
  },
  keys: "required",
  unknownFields: "refused",
  unansweredCalls: "openai",
  toolIds: "unique",
  thinking: "hidden",
  usageDetails: "openai",
  streamUsage: "on-request",
};
