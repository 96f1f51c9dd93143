import type { ToolCall } from "../../log/block.ts";
import type { SaidBy } from "../../log/payload-turn.ts";
import type { UsageOfOthers } from "../../state/responses.ts";
import type { NewContent } from "../to-contents.ts";

/** Somebody's answer to a question for permission. */
export interface CallDecision extends SaidBy {
  readonly kind: "allow" | "deny";
}

/** `not-waiting`: nobody was asked about the call, or it is answered already. Nothing was written. */
export type CallDecided = "recorded" | "not-waiting";

/** An item of a numbered queue. */
export interface QueuedContent {
  /** The name of the queue. Each has its own numbers. */
  readonly queue: string;
  /** The number of the item. Numbers rise; gaps are allowed, and items are taken in by their numbers. */
  readonly number: number;
  readonly content: NewContent | readonly NewContent[];
  /** The W3C trace context that the item came with: whoever continues the turn continues its trace. @default none */
  readonly traceparent?: string;
  /** Calls that others have made for this session, such as its agents: they are in the ledger once, with the item. @default none */
  readonly used?: readonly UsageOfOthers[];
}

/** The newest item of a queue that is in the log. */
export type TakenItem = Pick<QueuedContent, "number" | "traceparent">;

/** `known`: this number, or a higher one, was taken in before. Nothing was written. */
export type TakenIn = "taken" | "known";

/** A call that was answered because its turn was stopped. `unknown`: it had begun, and may have taken effect. */
export interface StoppedCall {
  readonly call: ToolCall;
  readonly how: "not-run" | "unknown";
}
