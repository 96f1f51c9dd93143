import { AUTOMATIC_CACHE } from "../models.ts";
import { invalidRequest } from "../problem.ts";
import {
  type CompatibleProfile,
  type Overflow,
  type OverflowNumbers,
  refusing,
  requested,
  serving,
  TOLERANT,
  wording,
} from "./compatible-profile.ts";

// vLLM stops tokenizing as soon as the limit is passed, so that its "at least" is the smallest number that is too
// large, and not the size of the prompt (OpenCowork#82).
const vllm = ({ outputTokens, windowTokens }: OverflowNumbers): string => {
  const minimumTokens = Math.max(1, windowTokens - outputTokens + 1);
  return `This model's maximum context length is ${windowTokens} tokens. However, you requested ${outputTokens} output tokens and your prompt contains at least ${minimumTokens} input tokens, for a total of at least ${minimumTokens + outputTokens} tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=${minimumTokens})`;
};

const invalidError = { type: "invalid_request_error" };
const noContext =
  "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input";
const llamaCpp = {
  ...TOLERANT,
  model: serving(32_768),
  toolIds: { always: "call_0" },
  thinking: "reasoning_content",
} as const;
const llamaCppOverflow = (status: number): Overflow =>
  refusing(
    ({ inputTokens, windowTokens }) => {
      const message = "the request exceeds the available context size, try increasing it";
      const error = {
        code: 400,
        message,
        type: "exceed_context_size_error",
        n_prompt_tokens: inputTokens,
        n_ctx: windowTokens,
      };
      return { body: { error }, message };
    },
    { status },
  );

/** Servers with an API like OpenAI's that the simulator can play. */
export type CompatibleServer =
  | "llama.cpp"
  | "llama.cpp status 200"
  | "Ollama"
  | "Ollama strict"
  | "vLLM"
  | "LM Studio"
  | "LM Studio 0.3"
  | "Groq"
  | "Cerebras"
  | "Cerebras status 413"
  | "OpenRouter"
  | "OpenRouter Poolside"
  | "DeepSeek"
  | "Together"
  | "xAI"
  | "Mistral"
  | "Kimi"
  | "MiniMax"
  | "DashScope"
  | "z.ai"
  | "z.ai silent"
  | "z.ai refusing"
  | "Copilot"
  | "Gemini"
  | "LiteLLM"
  | "DS4"
  | "MiMo";

/**
 * Servers by name. The sentences were seen in public issues and in the tables other agents match by; where a body beside
 * its sentence was not seen, it is the plainest one that carries it (Mistral, Together, xAI, LiteLLM, MiMo).
 */
export const compatibleProfiles: Readonly<Record<CompatibleServer, CompatibleProfile>> = {
  "llama.cpp": { ...llamaCpp, overflow: llamaCppOverflow(400) },
  /** The same body with HTTP 200, as one release had it (textgen#7257). */
  "llama.cpp status 200": { ...llamaCpp, overflow: llamaCppOverflow(200) },
  Ollama: { ...TOLERANT, model: serving(4_096), overflow: { kind: "truncate", room: "left" } },
  /** With `truncate: false`. */
  "Ollama strict": {
    ...TOLERANT,
    model: serving(4_096),
    overflow: wording(
      ({ inputTokens, windowTokens }) =>
        `prompt too long; exceeded max context length by ${inputTokens - windowTokens} tokens`,
      { error: { type: "api_error", param: null, code: null } },
    ),
  },
  vLLM: {
    ...TOLERANT,
    model: serving(131_072),
    thinking: "reasoning_content",
    overflow: wording(vllm, {
      counts: "input-and-output",
      error: { type: "BadRequestError", param: "input_tokens", code: 400 },
    }),
  },
  /** The error is a bare string (opencode#2259). */
  "LM Studio": {
    ...TOLERANT,
    model: serving(8_192),
    overflow: refusing(() => ({ body: { error: noContext }, message: noContext })),
  },
  "LM Studio 0.3": {
    ...TOLERANT,
    model: serving(8_192),
    overflow: refusing(({ inputTokens, windowTokens }) => {
      const message = `Trying to keep the first ${inputTokens} tokens when context the overflows. However, the model is loaded with context length of only ${windowTokens} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`;
      return { body: { error: message }, message };
    }),
  },
  Groq: {
    ...TOLERANT,
    model: serving(131_072),
    unansweredCalls: "openai",
    overflow: wording(() => "Please reduce the length of the messages or completion.", {
      counts: "input-and-output",
      error: { ...invalidError, param: "messages", code: "context_length_exceeded" },
    }),
  },
  Cerebras: { ...TOLERANT, model: serving(131_072), overflow: refusing(() => ({ body: undefined, message: "" })) },
  "Cerebras status 413": {
    ...TOLERANT,
    model: serving(131_072),
    overflow: refusing(() => ({ body: undefined, message: "" }), { status: 413 }),
  },
  OpenRouter: {
    ...TOLERANT,
    model: serving(262_144),
    overflow: wording(
      ({ inputTokens, outputTokens, windowTokens }) =>
        `This endpoint's maximum context length is ${windowTokens} tokens. However, you requested about ${inputTokens + outputTokens} tokens (${inputTokens} of text input, ${outputTokens} in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
      { counts: "input-and-output", error: { code: 400, metadata: { provider_name: null } } },
    ),
  },
  "OpenRouter Poolside": {
    ...TOLERANT,
    model: serving(131_072),
    overflow: wording(
      ({ inputTokens, windowTokens }) =>
        `Input length ${inputTokens} exceeds the maximum allowed input length of ${windowTokens} tokens.`,
      { error: { code: 400 } },
    ),
  },
  DeepSeek: {
    ...TOLERANT,
    model: serving(131_072, { ...AUTOMATIC_CACHE, minTokens: 64, stepTokens: 64 }),
    thinking: "reasoning_content",
    usageDetails: "deepseek",
    unansweredCalls: () =>
      invalidRequest(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
        { code: "invalid_request_error" },
      ),
    overflow: wording(requested, {
      counts: "input-and-output",
      error: { ...invalidError, param: null, code: "invalid_request_error" },
    }),
  },
  Together: {
    ...TOLERANT,
    model: serving(131_072),
    overflow: wording(
      ({ inputTokens, windowTokens }) =>
        `The input (${inputTokens} tokens) is longer than the model's context length (${windowTokens} tokens).`,
      { error: { ...invalidError, param: null, code: null } },
    ),
  },
  xAI: {
    ...TOLERANT,
    model: serving(131_072),
    overflow: refusing(({ inputTokens, windowTokens }) => {
      const message = `This model's maximum prompt length is ${windowTokens} but the request contains ${inputTokens} tokens.`;
      return { body: { code: "Client specified an invalid argument", error: message }, message };
    }),
  },
  Mistral: {
    ...TOLERANT,
    model: serving(131_072),
    overflow: refusing(({ inputTokens, windowTokens }) => {
      const message = `Prompt contains ${inputTokens} tokens and 0 draft tokens, too large for model with ${windowTokens} maximum context length`;
      return { body: { object: "error", message, type: "invalid_request_prompt", param: null, code: "3051" }, message };
    }),
  },
  Kimi: {
    ...TOLERANT,
    model: serving(262_144),
    thinking: "reasoning_content",
    overflow: wording(
      ({ inputTokens, windowTokens }) =>
        `Invalid request: Your request exceeded model token limit: ${windowTokens} (requested: ${inputTokens})`,
      { error: invalidError },
    ),
  },
  /** 2013 is the number of the error, whatever the size of the prompt. */
  MiniMax: {
    ...TOLERANT,
    model: serving(204_800),
    overflow: refusing(() => {
      const message = "invalid params, context window exceeds limit (2013)";
      return { body: { type: "error", error: { ...invalidError, message } }, message };
    }),
  },
  DashScope: {
    ...TOLERANT,
    model: serving(983_616),
    thinking: "reasoning_content",
    unansweredCalls: (index) =>
      invalidRequest(
        `<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[${index}].role`,
        { code: "invalid_parameter_error" },
      ),
    overflow: wording(
      ({ windowTokens }) =>
        `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${windowTokens}]`,
      { error: { ...invalidError, code: "invalid_parameter_error", param: null } },
    ),
  },
  "z.ai": {
    ...TOLERANT,
    model: serving(204_800),
    thinking: "reasoning_content",
    overflow: { kind: "accept", finishReason: "model_context_window_exceeded" },
  },
  /** Answers as if nothing were amiss: only the usage tells. */
  "z.ai silent": { ...TOLERANT, model: serving(204_800), thinking: "reasoning_content", overflow: { kind: "accept" } },
  "z.ai refusing": {
    ...TOLERANT,
    model: serving(204_800),
    thinking: "reasoning_content",
    overflow: wording(() => "Prompt exceeds max length", { error: { code: "1261" } }),
  },
  Copilot: {
    ...TOLERANT,
    model: serving(128_000),
    overflow: wording(
      ({ inputTokens, windowTokens }) => `prompt token count of ${inputTokens} exceeds the limit of ${windowTokens}`,
      { error: { code: "model_max_prompt_tokens_exceeded" } },
    ),
  },
  /** The compatible endpoint wraps its error in an array. */
  Gemini: {
    ...TOLERANT,
    model: serving(1_048_575),
    overflow: refusing(({ inputTokens, windowTokens }) => {
      const message = `The input token count (${inputTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`;
      return { body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }], message };
    }),
  },
  LiteLLM: {
    ...TOLERANT,
    model: serving(131_072),
    overflow: wording(
      ({ windowTokens }) =>
        `litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - Requested token count exceeds the model's maximum context length of ${windowTokens} tokens.`,
      { error: { type: null, param: null, code: "400" } },
    ),
  },
  DS4: {
    ...TOLERANT,
    model: serving(32_768),
    overflow: wording(
      ({ inputTokens, windowTokens }) =>
        `prompt has ${inputTokens} tokens, but the configured context size is ${windowTokens} tokens`,
      { error: invalidError },
    ),
  },
  /** Cuts the prompt until it fills the window, which leaves no room to answer. */
  MiMo: {
    ...TOLERANT,
    model: serving(262_144),
    thinking: "reasoning_content",
    overflow: { kind: "truncate", room: "none" },
  },
};
