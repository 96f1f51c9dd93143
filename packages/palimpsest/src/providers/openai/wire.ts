import type OpenAI from "openai";

/** The names of these wire forms in logs. */
export const OPENAI_RESPONSES = "openai-responses";
export const OPENAI_CHAT = "openai-chat";

/** An item of the conversation: a message, a call, its output, reasoning, ... */
export type ResponsesItem = OpenAI.Responses.ResponseInputItem;
/** Without `stream`: the same request can be made either way. */
export type ResponsesRequest = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">;
/** A whole response of the Responses API. */
export type ResponsesResponse = OpenAI.Responses.Response;

/** A message of a request to Chat Completions. */
export type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;
/** The body of a call to Chat Completions. */
export type ChatRequest = Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "stream">;
/** A whole response of Chat Completions. */
export type ChatResponse = OpenAI.Chat.ChatCompletion;
