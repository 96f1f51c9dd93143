import type { Draft } from "../log/entry.ts";
import type { NewContent } from "../log/messages.ts";
import type { WindowSource } from "../providers/models.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Profile } from "../settings/settings.ts";
import type { Budget, BudgetLevel } from "../size/budget.ts";
import type { Hold } from "./options.ts";
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
  /** The number of the `request` entry. */
  readonly entry: number;
  readonly model: string;
  /** The estimated input, without a pad. */
  readonly inputTokens: number;
}

/** The sizes of the view, and the thresholds. */
export interface Sizes {
  size(): SessionSize;
  /** The thresholds only: they need no weighing of costs. */
  budget(): Budget & Pick<SessionSize, "known">;
  /** The compaction that a full window would cause now. */
  forecast(why: string): CompactionForecast;
}

/** The one way for content into the log. Large content is stored in files here. */
export interface ContentInlet {
  /**
   * @param before entries of the same batch that stand before the content
   * @param behind entries of the same batch that stand behind the content
   */
  append(
    content: readonly NewContent[],
    before?: readonly Draft[],
    behind?: readonly Draft[],
  ): Promise<readonly number[]>;
}

/** The requests that were handed out. */
export interface IssuedRequests {
  /** The request that a response answers: the newest one that was handed out, if none is given. */
  answeredBy(request: unknown): IssuedRequest | undefined;
  /** The entry of the newest request that was handed out. */
  newestRequest(): number | undefined;
  /** The body of that request: a refusal names a place in it. */
  newestBody(): unknown;
  /** The approximate number of bytes of the view in a request. */
  sizeBytes(): number;
}

/** The prompt that the session has sent so far. The requests of a fork begin with it. */
export interface PromptSource {
  prefix(): Prefix;
}

/** Follows a fork for its parent. */
export interface ForkWatch {
  asked(): void;
  /** Called for every response. */
  recorded(response: RecordedResponse): Promise<void>;
  /** Called for every answer that was stopped before its end, with its token counts. */
  interrupted(used: Omit<UsageOfOthers, "source">): Promise<void>;
  /** Called once. */
  closed(): void;
}

/** How the requests of a fork differ from those of other sessions. */
export interface ForkRequestOptions {
  /** Its requests are counted under this name. */
  readonly source: string;
  /** The session whose prompt it shares: some providers find their cache by it. */
  readonly root: string;
  /** `none`: the fork marks nothing of its own for the cache, because nobody will send the same prompt again. */
  readonly cacheWrites: "none" | "as-usual";
  /** Calls of other tools are refused. @default all */
  readonly allowedTools?: readonly string[] | undefined;
  /** The parent, which follows the fork. */
  readonly watch?: ForkWatch | undefined;
}
