import type { ResponseContent, StreamPart } from "../providers/provider.ts";

/** Options of a fork. Only `source`, its name in the ledger, is required. */
export interface ForkOptions {
  /** Who asks: its usage is counted under this name. */
  readonly source: string;
  /** The name under which it is kept in the store, to be opened again. @default it is gone when it is closed */
  readonly id?: string;
  /** The entry at which it parts from this session, for several that are to begin alike. @default the newest */
  readonly at?: number;
  /** Tools that it may use; all stay in the list, calls of others are refused. @default all */
  readonly allowedTools?: readonly string[];
  /** Ends it; so does the end of the session it comes from. */
  readonly signal?: AbortSignal;
}

/** Options of one question to the model beside the conversation. */
export interface AskOptions extends Pick<ForkOptions, "source" | "signal"> {
  /** Is told of every piece of the answer as it arrives. */
  readonly onPart?: (part: StreamPart) => void;
  /** Another model, which sees the question and nothing of the conversation. @default the session's, with all of it */
  readonly standalone?: StandaloneModel;
}

interface StandaloneModel {
  readonly model: string;
  readonly system: string;
  readonly maxOutputTokens: number;
}

export interface Answer extends Pick<ResponseContent, "stop" | "usage" | "model"> {
  readonly text: string;
  /** How many tools it wanted to use. */
  readonly refusedCalls: number;
}
