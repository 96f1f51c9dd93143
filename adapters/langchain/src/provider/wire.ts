import type { AIMessage, BaseMessage } from "langchain";
import type { JsonObject } from "palimpsest/schema";

/** The name of this wire form in logs. */
export const LANGCHAIN = "langchain";

/** A part of a message's content: a text, an image, thinking, or what only the service knows. */
export type LangChainPart = JsonObject;

/** A message as plain data. Messages of the framework are made of it for each call: they can be changed, and it cannot. */
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

/** A tool call as LangChain has it. */
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
  /** In the form that `bindTools` of every model takes. */
  readonly tools: readonly object[];
  /** Options of the call: those of `bindTools` and `invoke`. */
  readonly settings: JsonObject;
}

/** What a chat model has answered, whole, and the id of the model that was asked. */
export interface LangChainResponse {
  readonly message: AIMessage;
  readonly model: string;
}

/** Chat models of LangChain, as far as they are used here. */
export interface ChatModel {
  getName(): string;
  bindTools?(tools: object[], settings?: object): Streamed;
  stream(messages: BaseMessage[], options?: object): Promise<AsyncIterable<unknown>>;
}

/** The part of a chat model that streams. */
export type Streamed = Pick<ChatModel, "stream">;
