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
/** A whole answer. */
export type PiResponse = AssistantMessage;
/** What calls a model, such as `streamSimple` of pi's `Models`. */
export type PiStream = (
  model: PiModel,
  context: TranscriptContext,
  options?: SimpleStreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>;
/** Options of a call, as pi has them: keys, headers and callbacks are among them. */
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

/** What an agent's own calls have beside their messages: a session's own calls begin with the same bytes. */
export interface PiBinding {
  readonly tools: readonly PiTool[];
  readonly options: PiOptions;
}

/** Who has written an answer. pi sends signed thinking back only to the same model. */
export interface Author {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly providerThinkingLevel?: string;
}
