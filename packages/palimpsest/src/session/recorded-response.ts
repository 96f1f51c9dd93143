import type { ToolCall } from "../log/block.ts";
import type { Overflow } from "../providers/overflow.ts";
import type { ResponseContent } from "../providers/provider.ts";
import type { Truncation } from "../view/truncation.ts";

/** What a response says, in words that fit every provider. */
export interface RecordedResponse extends Omit<ResponseContent, "blocks"> {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Calls that a fork may not make: they are answered already, by a refusal. */
  readonly refusedCalls?: readonly ToolCall[];
  /** The server has taken more than fits and said nothing: what it answered, it answered to a part of the request. */
  readonly overflow?: Overflow;
  /** The server has read less than it was sent and said nothing. The next request is made to fit what it read. */
  readonly truncation?: Truncation;
}

export interface RecordOptions {
  /**
   * `in-steps`: whoever runs the calls logs their beginnings, as `stepTurn` does. After a crash it is then known which of them
   * may have run. @default unknown: after a crash, any of them may have run
   */
  readonly calls?: "in-steps";
}
