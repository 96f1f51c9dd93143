import type { SessionCost } from "../cost/cost.ts";
import type { Draft } from "../log/entry.ts";
import type { NewContent, StreamedResult } from "../log/messages.ts";
import type { WindowSource } from "../providers/models.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Profile } from "../settings/settings.ts";
import type { Budget, BudgetLevel } from "../size/budget.ts";
import type { AnswerWay } from "./limits.ts";
import type { DueCompaction, Hold } from "./options.ts";
import type { Prefix } from "./prefix.ts";
import type { RecordedResponse, UsageOfOthers } from "./responses.ts";

/** Where the conversation will be compacted next, and by which policy. */
export type CompactionPoint = OnPoint | { readonly policy: "off"; readonly profile: Profile };

interface OnPoint {
  /** `economic`: when it saves money. `window`: when the window is nearly full. `held`: the same for now, `heldBy` says why. */
  readonly policy: "economic" | "window" | "held";
  /** The size at which it is made, or asked about. */
  readonly atTokens: number;
  /** The size at which it is made while the model is at work, if that is another. */
  readonly withinTurnAtTokens?: number;
  /** What keeps the economic policy from acting. */
  readonly heldBy?: Hold["by"];
  /** The size at which it is made once nothing holds the economic policy any more. */
  readonly thenAtTokens?: number;
  /** `asks`: the user or the host is asked first. */
  readonly approval: "asks" | "automatic";
  readonly profile: Profile;
}

/** The size of the view, and the thresholds. */
export interface SessionSize extends Budget {
  /** The last reported size plus a padded estimate of what came after. */
  readonly tokens: number;
  /** How much room is left before the next compaction, or before the limit if automatic compaction is off. */
  readonly percentLeft: number;
  readonly level: BudgetLevel;
  /** The source of the window size. `guessed`: unknown; set it in the provider's `models` or in `window.tokens`. */
  readonly known: WindowSource;
  /** The size at which the next compaction happens. */
  readonly compaction: CompactionPoint;
}

export interface IssuedRequest {
  /** The entry at which the request was made. */
  readonly entry: number;
  readonly model: string;
  /** Its input, by estimate and without a pad. */
  readonly inputTokens: number;
}

export type Prepared =
  | { readonly kind: "request"; readonly request: unknown }
  | { readonly kind: "compaction-due"; readonly due: DueCompaction };

/** The way out: requests from the view. */
export interface Requests {
  /**
   * The next request; or that a compaction comes first, and why. Only asked for one if `compaction` is `first`.
   */
  prepare(compaction: "first" | "not-now", way?: AnswerWay): Promise<Prepared>;
  /** The request that a response answers: the newest that was handed out, if none is given. */
  answeredBy(request: unknown | undefined): IssuedRequest | undefined;
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
  newestBody(): unknown | undefined;
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

/** Is told what a fork does. */
export interface ForkWatch {
  asked(): void;
  /** Of every response. */
  recorded(response: RecordedResponse): Promise<void>;
  /** Of every answer that was stopped before it was whole, with what it has used. */
  interrupted(used: Omit<UsageOfOthers, "source">): Promise<void>;
  /** Once. */
  closed(): void;
}

/** What is different about the requests of a fork. */
export interface ForkRequestOptions {
  /** Its requests are counted under this name. */
  readonly source: string;
  /** The session whose prompt it shares: some providers find their cache by it. */
  readonly root: string;
  /** `none`: nothing of its own is marked for the cache, because nobody will ask for it again. */
  readonly cacheWrites: "none" | "as-usual";
  /** Calls of other tools are refused. @default all */
  readonly allowedTools?: readonly string[] | undefined;
  /** Whoever opened it, and follows it. */
  readonly watch?: ForkWatch | undefined;
}
