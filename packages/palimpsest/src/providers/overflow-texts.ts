/**
 * Sentences and codes with which providers, and servers that imitate them, report that the input does not fit; all seen
 * on the wire. The order does not matter. `N` in a pattern stands for a number, with or without separators.
 */

/** Machine codes that always mean overflow, with any status. */
export const OVERFLOW_CODES: readonly string[] = [
  "context_length_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "ContextWindowExceededError",
  "model_context_window_exceeded",
];

/** Codes for a body with too many bytes. */
export const TOO_LARGE_CODES: readonly string[] = ["request_too_large", "request_body_too_large_after_decoding"];

/** Sentences that always mean overflow. */
export const OVERFLOW_TEXTS: readonly RegExp[] = [
  // Anthropic, also behind Bedrock and Vertex
  /prompt is too long/,
  /input length and `?max_tokens`? exceed context limit/,
  // Bedrock
  /input is too long for (?:the )?requested model/,
  // OpenAI, Azure
  /exceeds the context window/,
  /context[ _]length[ _]exceeded/,
  /maximum context length (?:is|of) \(?N\)?/,
  // LiteLLM and other proxies
  /exceeds the model'?s maximum context length/,
  /ContextWindowExceededError/i,
  // Gemini, Vertex
  /input token count.{0,40} exceeds the maximum/,
  // xAI
  /maximum prompt length is N/,
  // Groq, Cerebras
  /reduce the length of the messages/,
  // OpenRouter with Poolside
  /exceeds the maximum allowed input length/,
  // Together
  /is longer than the model'?s context length/,
  // Copilot
  /token count of N exceeds the limit of N/,
  // llama.cpp
  /exceeds the available context size/,
  // LM Studio
  /greater than the context length/,
  /context length of only N tokens/,
  /context length is only N tokens/,
  // Ollama
  /prompt too long; exceeded (?:max )?context length/,
  // MiniMax
  /context window exceeds limit/,
  // Kimi
  /exceeded model token limit/,
  // Mistral
  /too large for model with N maximum context length/,
  // DashScope, Qwen
  /range of input length should be/,
  // DS4
  /prompt has N tokens, but the configured context size is N/,
  // z.ai
  /model_context_window_exceeded/,
  /prompt exceeds max length/,
  // vLLM, SGLang, TGI
  /prompt contains at least N input tokens/,
  /input length.{0,60} exceeds.{0,40} context length/,
  /`?inputs`? tokens? \+ `?max_new_tokens`? must be <= N/,
  // Fireworks, Cohere, and others that agents match by
  /tokens in request more than max tokens allowed/,
  /input tokens exceed model token limit/,
  // llama-cpp-python, ctransformers, and earlier vLLM
  /requested tokens (?:\(N\) )?exceed context window of N/,
  /exceeded maximum context length/,
  /prompt \((?:total length )?N(?: tokens)?\) is too long/,
  /`?inputs`? must have less than N tokens/,
];

/** Sentences that may have another meaning. They count only with a status that blames the request. */
export const LOOSE_OVERFLOW_TEXTS: readonly RegExp[] = [
  /too many (?:input )?tokens/,
  /token limit exceeded/,
  /context (?:length|window|size).{0,20} exceeded/,
  // Cerebras sends no body; client libraries report it with this text.
  /^400 status code \(no body\)$/,
];

/** Sentences about too many bytes. */
export const TOO_LARGE_TEXTS: readonly RegExp[] = [
  // OpenAI, about one text in the request; the same sentence about an id names a smaller maximum.
  /string too long\. expected a string with maximum length \d{6,}/,
  /request_too_large/,
  /request exceeds the maximum size/,
  /request entity too large/,
  /payload too large/,
  /(?:request )?body (?:is )?too large/,
];

/** Sentences about the request rate, not the size, although some mention too many tokens. */
export const PACE_TEXTS: readonly RegExp[] = [
  /rate[ _-]?limit/,
  /too many requests/,
  /(?:tokens?|requests?) per (?:second|minute|min|hour|day|month)/,
  /per[- ](?:minute|day)/,
  /\b[TR]P[MD]\b/i,
  /throttl/,
  /^(?:service unavailable|serviceunavailableexception)\b/,
  /please wait before trying again/,
  /quota/,
];

/** Patterns that capture the size of the input in an overflow sentence. */
export const INPUT_COUNTS: readonly RegExp[] = [
  /(N) tokens > N/,
  /context limit: (N) \+ N > N/,
  /requested (?:about )?N tokens \((N) /,
  /resulted in (?:over )?(N) tokens/,
  /(?:at least|request has) (N) input tokens/,
  /given: (N) `?inputs`? tokens/,
  /must have less than N tokens\. given: (N)/,
  /requested tokens \((N)\) exceed/,
  /prompt \((?:total length )?(N)(?: tokens)?\) is too long/,
  /number of tokens \((N)\) exceeded/,
  /cannot exceed N - received (N)/,
  /request contains (N) tokens/,
  /prompt contains (N) tokens/,
  /\(requested: (N)\)/,
  /token count (?:of )?\(?(N)\)? exceeds/,
  /input \((N) tokens\)/,
  /input length (?:of )?\(?(N)\)?(?: tokens)? exceeds/,
  /prompt has (N) tokens/,
  /request \((N) tokens\) exceeds/,
  /n_prompt_tokens\D{1,4}(N)/,
  /keep the first (N) tokens/,
];

/** Patterns that capture the limit. */
export const LIMIT_COUNTS: readonly RegExp[] = [
  /> (N) maximum/,
  /context limit: N \+ N > (N)/,
  /maximum (?:context|prompt) length (?:is|of) \(?(N)/,
  /maximum number of tokens allowed \(?(N)/,
  /exceeds the limit of (N)/,
  /model token limit: (N)/,
  /input length should be \[N, (N)\]/,
  /context size is (N)/,
  /context size \((N) tokens\)/,
  /context length \(?(N)(?: tokens)?\)?/,
  /context window of (N)/,
  /exceeds limit of (N)/,
  /must have less than (N) tokens/,
  /cannot exceed (N) - received/,
  /maximum allowed input length of (N)/,
  /with (N) maximum context length/,
  /context length (?:of|is) only (N)/,
  /max_new_tokens`? must be <= (N)/,
  /n_ctx\D{1,4}(N)/,
];
