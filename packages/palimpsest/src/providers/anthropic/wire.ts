import type Anthropic from "@anthropic-ai/sdk";

/** The name of this wire form in logs. */
export const ANTHROPIC = "anthropic";

/** A message of a request. */
export type AnthropicMessage = Anthropic.MessageParam;
export type AnthropicBlock = Anthropic.ContentBlockParam;
/** The body of a call. With `betas`, it goes through the client's beta resource, which sends them as a header. */
export type AnthropicRequest = Anthropic.MessageCreateParamsNonStreaming & { readonly betas?: string[] };
/** A whole response. */
export type AnthropicResponse = Anthropic.Message;
