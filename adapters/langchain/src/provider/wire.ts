// The messages, requests and answers of LangChain as the log keeps them.

import type { AIMessage, BaseMessage } from "langchain";
import type { JsonObject } from "palimpsest/schema";

/** The name of this wire form in logs. */
export const LANGCHAIN = "langchain";

/** A part of a message's content: text, an image, thinking, or a part that only the service knows. */
export type LangChainPart = JsonObject;

/** A message as immutable plain data. Each call creates new message objects of the framework from it. */
export type LangChainMessage =
  | { readonly type: "human" | "system"; readonly content: readonly LangChainPart[] }
  | {
      readonly type: "ai";
      readonly content: readonly LangChainPart[];
      readonly tool_calls: readonly LangChainCall[];
      readonly additional_kwargs?: JsonObject;
    }
  | {
      readonly type: "tool";
      readonly content: readonly LangChainPart[];
      readonly tool_call_id: string;
      readonly status: "success" | "error";
    };

/** A tool call in the form of LangChain. */
export interface LangChainCall {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** A call of a chat model. */
export interface LangChainRequest {
  readonly model: string;
  readonly system?: LangChainMessage;
  readonly messages: readonly LangChainMessage[];
  /** The tools, in the form that `bindTools` of every model accepts. */
  readonly tools: readonly object[];
  /** The options for `bindTools` and `invoke`. */
  readonly settings: JsonObject;
}

/** The whole answer of a chat model, with the id of the model. */
export interface LangChainResponse {
  readonly message: AIMessage;
  readonly model: string;
}

/** The parts of a LangChain chat model that this package uses. */
export interface ChatModel {
  getName(): string;
  bindTools?(tools: object[], settings?: object): Streamed;
  stream(messages: BaseMessage[], options?: object): Promise<AsyncIterable<unknown>>;
}

/** The part of a chat model that streams. */
export type Streamed = Pick<ChatModel, "stream">;
