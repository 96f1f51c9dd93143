import type { SessionCost } from "../cache/cost.ts";
import type { Draft } from "../log/entry.ts";
import type { DueCompaction } from "../session/compact/attendance.ts";
import type { SessionSize } from "../session/session-size.ts";
import type { StreamedResult } from "../session/streamed-result.ts";
import type { NewContent } from "../session/to-contents.ts";
import type { CompactionForecast } from "../session-event/compaction-events.ts";
import type { Budget } from "../size/budget.ts";
import type { AnswerWay } from "./limits.ts";
import type { Prefix } from "./prefix.ts";

export interface IssuedRequest {
  /** The entry at which the request was made. */
  readonly entry: number;
  readonly model: string;
  /** Its input, by estimate and without a pad. */
  readonly inputTokens: number;
}

export type Prepared<Request> =
  | { readonly kind: "request"; readonly request: Request }
  | { readonly kind: "compaction-due"; readonly due: DueCompaction };

/** The way out: requests from the view. */
export interface Requests<Request> {
  /**
   * The next request; or that a compaction comes first, and why. Only asked for one if `compaction` is `first`.
   */
  prepare(compaction: "first" | "not-now", way?: AnswerWay): Promise<Prepared<Request>>;
  /** The request that a response answers: the newest that was handed out, if none is given. */
  answeredBy(request: Request | undefined): IssuedRequest | undefined;
  size(): SessionSize;
  /** The sizes at which something happens, without what has to be weighed for them. */
  budget(): Budget & Pick<SessionSize, "known">;
  /** What a compaction that the window asks for would do now. */
  forecast(why: string): CompactionForecast;
  /** What comes before each request, for a compaction that was asked for: storing what is too large, clearing what is stale. */
  runStages(): Promise<void>;
  filesRead(): ReadonlyMap<string, number>;
  cost(): Promise<SessionCost>;
  /** The request that was handed out last, by its entry. */
  newestRequest(): number | undefined;
  /** The same as it was handed out: what a refusal names a place in. */
  newestBody(): Request | undefined;
  /** Of the view in a request, about. */
  sizeBytes(): number;
  /** What has been sent so far: what a fork's requests begin with. */
  prefix(): Prefix;
}

/** The way in: the one place that everything passes before it is an entry. What is too large goes to a file here. */
export interface Contents {
  /**
   * @param before entries that stand before it, in the same batch
   * @param behind entries that stand behind it, in the same batch
   */
  append(
    content: readonly NewContent[],
    before?: readonly Draft[],
    behind?: readonly Draft[],
  ): Promise<readonly number[]>;
  appendStream(streamed: StreamedResult): Promise<readonly number[]>;
}
