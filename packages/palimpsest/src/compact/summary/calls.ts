// The calls that a summary may take, as the sequence of ways sees them.

import type { ProviderCompaction, ProviderFailure, ResponseContent } from "../../providers/provider.ts";

export interface SummaryAnswer {
  readonly text: string;
  readonly stop: ResponseContent["stop"];
  /** The number of tool calls in the answer. */
  readonly calls: number;
}

/** The outcome of one call, after all tries. */
export type CallResult<Answer = SummaryAnswer> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | {
      readonly kind: "failed";
      readonly failure: ProviderFailure | { readonly kind: "no-calls-left" };
      readonly why: string;
    };

/** The compaction in the provider's own format; undefined if it has written none. */
export type CompactionBlock = ProviderCompaction["block"];

/** A dialog with the model about the conversation: the model remembers its earlier answers. */
export interface ModelConversation {
  ask(words: string): Promise<CallResult>;
  close(): Promise<void>;
}

/** The ways to call a model. */
export interface ModelCalls {
  /** With the conversation's own prompt, which is in the provider's cache. */
  fork(signal?: AbortSignal): Promise<ModelConversation>;
  /** With a new prompt, which must hold everything that the model needs. */
  direct(signal?: AbortSignal): Promise<ModelConversation>;
  /** Lets the provider compact; undefined if it has no such request. Without instructions, it uses its own. */
  provider(instructions: string | undefined): Promise<CallResult<CompactionBlock | undefined> | undefined>;
}

/** A text, or a block that the provider expects first in every request. */
export type WrittenSummary = { readonly text: string } | { readonly block: CompactionBlock };
