// The types of pi that appear in logs and requests.

import type {
  Api,
  AssistantMessage,
  AssistantMessageEventStream,
  Message,
  Model,
  SimpleStreamOptions,
  Tool,
  TranscriptContext,
} from "@earendil-works/pi-ai";
import type { JsonObject } from "palimpsest/schema";

/** The name of this wire form in logs. */
export const PI = "pi";

/** A model of pi. */
export type PiModel = Model<Api>;
/** A message of pi. */
export type PiMessage = Message;
/** A whole answer of pi. */
export type PiResponse = AssistantMessage;
/** The function that calls a model, such as `streamSimple` of pi's `Models`. */
export type PiStream = (
  model: PiModel,
  context: TranscriptContext,
  options?: SimpleStreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
/** The options of a call in pi, which include keys, headers and callbacks. */
export type PiOptions = SimpleStreamOptions;
/** A tool of pi. */
export type PiTool = Tool;

/** A call of a model. */
export interface PiRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly PiMessage[];
  readonly tools: readonly PiTool[];
  /** Options that are logged with the call. */
  readonly settings: JsonObject;
  readonly maxTokens: number;
  /** Keeps requests of one session on the same cache. */
  readonly session: string;
}

/** The tools and options of the agent's calls. The session's own calls use them too, to begin with the same bytes. */
export interface PiBinding {
  readonly tools: readonly PiTool[];
  readonly options: PiOptions;
}

/** The model that wrote an answer. pi sends signed thinking back only to the same model. */
export interface Author {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly providerThinkingLevel?: string;
}
