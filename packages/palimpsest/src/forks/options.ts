// Options of forks and of questions to the model, and the answer to a question.

import type { ResponseContent, StreamPart } from "../providers/provider.ts";

/** Options of a fork. Only `source`, its name in the ledger, is required. */
export interface ForkOptions {
  /** The purpose of the fork. The ledger counts its usage under this name. */
  readonly source: string;
  /** The id of the fork in the store, for opening it again. @default the fork is discarded when it is closed */
  readonly id?: string;
  /** The entry after which the fork begins. Forks with the same entry share the same prompt. @default the newest */
  readonly at?: number;
  /**
   * Tools that the fork may use. The request still lists all tools, and calls of other tools are refused. @default all
   */
  readonly allowedTools?: readonly string[];
  /** Ends the fork. Closing the parent session ends it, too. */
  readonly signal?: AbortSignal;
}

/** Options of one question to the model that does not become part of the conversation. */
export interface AskOptions extends Pick<ForkOptions, "source" | "signal"> {
  /** Receives each piece of the answer as it arrives. */
  readonly onPart?: (part: StreamPart) => void;
  /** Asks another model, which sees only the question. @default the session's model, with the whole conversation */
  readonly standalone?: StandaloneModel;
}

/** A model for a question without the conversation. */
interface StandaloneModel {
  readonly model: string;
  readonly system: string;
  readonly maxOutputTokens: number;
}

/** The answer to a question. */
export interface Answer extends Pick<ResponseContent, "stop" | "usage" | "model"> {
  readonly text: string;
  /** The number of tool calls that the model made. They are refused. */
  readonly refusedCalls: number;
}
