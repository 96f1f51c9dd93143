// The interfaces through which features use each other: sizes, content, issued requests, the prompt.

import type { LedgerLine } from "../cost/ledger.ts";
import type { Draft } from "../log/entry.ts";
import type { NewContent } from "../log/messages.ts";
import type { WindowState } from "../policy/window-state.ts";
import type { WindowSource } from "../providers/models.ts";
import type { CompactionForecast, NewEvent } from "../session-event.ts";
import type { Budget, BudgetLevel } from "../size/budget.ts";
import type { Configuration, FlatMessage, View } from "../view/view.ts";
import type { Hold } from "./options.ts";
import type { RecordedResponse, UsageOfOthers } from "./responses.ts";

/** The size at which the session compacts next. */
export type CompactionPoint = OnPoint | { readonly kind: "off"; readonly policy: string };

interface OnPoint {
  /**
   * `economic`: compact when it saves money. `window`: compact when the window is nearly full. `held`: like `window`
   * for now; `heldBy` has the reason.
   */
  readonly kind: "economic" | "window" | "held";
  /** The name of the policy. */
  readonly policy: string;
  /** The size at which the session compacts or asks the user. */
  readonly atTokens: number;
  /** The size at which the session compacts while the model works, if it differs. */
  readonly withinTurnAtTokens?: number | undefined;
  /** Why the session does not compact to save money. */
  readonly heldBy?: Hold["by"] | undefined;
  /** The size at which the session compacts once it may compact to save money again. */
  readonly thenAtTokens?: number | undefined;
  /** `asks`: the user or the host is asked first. */
  readonly approval: "asks" | "automatic";
}

/** Entries to append, and events to emit once they are appended. */
export interface StageDecision {
  readonly drafts: readonly Draft[];
  readonly newEvents: readonly NewEvent[];
}

export const NOTHING_TO_DO: StageDecision = { drafts: [], newEvents: [] };

/** The size of the view, and the thresholds. */
export interface SessionSize extends Budget {
  /** The last reported size plus a padded estimate of what came after. */
  readonly tokens: number;
  /**
   * The percentage of room that is left before the next compaction, or before the limit if automatic compaction is off.
   */
  readonly percentLeft: number;
  readonly level: BudgetLevel;
  /**
   * The source of the window size. `guessed`: the size is unknown; set it in the provider's `models` or in
   * `window.tokens`.
   */
  readonly known: WindowSource;
  /** The size at which the next compaction happens. */
  readonly compaction: CompactionPoint;
}

export interface IssuedRequest {
  /** The number of the `request` entry. */
  readonly entry: number;
  readonly model: string;
  /** The estimated input, without padding. */
  readonly inputTokens: number;
}

/** The sizes of the view, and the thresholds. */
export interface Sizes {
  size(): SessionSize;
  /** Returns only the thresholds, which do not depend on costs. */
  budget(): Budget & Pick<SessionSize, "known">;
  /** Returns the compaction that a full window would cause now. */
  forecast(why: string): CompactionForecast;
  /** Describes the window for the rule of the notes, with the size of the notes in tokens. */
  windowState(notesTokens: number): WindowState;
  /** Describes the window for the rule that prepares summaries. */
  preparingState(): WindowState;
}

/** Appends content to the log. All content goes through here, and large content is stored in files. */
export interface ContentInlet {
  /**
   * @param before entries of the same batch that precede the content
   * @param behind entries of the same batch that follow the content
   */
  append(
    content: readonly NewContent[],
    before?: readonly Draft[],
    behind?: readonly Draft[],
  ): Promise<readonly number[]>;
}

/** The issued requests. */
export interface IssuedRequests {
  /** Returns the request that a response answers: the given one, or the newest. */
  answeredBy(request: unknown): IssuedRequest | undefined;
  /** Returns the entry of the newest request. */
  newestRequest(): number | undefined;
  /** Returns the body of the newest request, because a refusal names a place in it. */
  newestBody(): unknown;
  /** Returns the approximate number of bytes of the view in a request. */
  sizeBytes(): number;
}

/** The prompt that the session has sent so far. The requests of a fork begin with it. */
export interface PromptSource {
  /** @param view the view to render. @default the session's view */
  prefix(view?: View): Prefix;
}

/** Reports the activity of a fork to its parent. */
export interface ForkWatch {
  asked(): void;
  /** Called for every response. @param line its line in the ledger of the fork; undefined if it was recorded before */
  recorded(response: RecordedResponse, line: LedgerLine | undefined): Promise<void>;
  /** Called for every answer that was stopped before its end, with its token counts. */
  interrupted(used: Omit<UsageOfOthers, "source">, line: LedgerLine): Promise<void>;
  /** Called once. */
  closed(): void;
}

/** How the requests of a fork differ from those of other sessions. */
export interface ForkRequestOptions {
  /** The ledger counts the fork's requests under this source. */
  readonly source: string;
  /** The session whose prompt the fork shares. Some providers use it to find their cache. */
  readonly root: string;
  /** `none`: the fork sets no cache marks for its own messages, because nobody will send the same prompt again. */
  readonly cacheWrites: "none" | "as-usual";
  /** The tools that the fork may call. Calls to other tools are refused. @default all */
  readonly allowedTools?: readonly string[] | undefined;
  /** Whose system prompt and tool list the fork has. `own`: the parent had made no request, so there is no prompt to share. */
  readonly head: "parent" | "own";
  /** Receives reports for the parent. */
  readonly watch?: ForkWatch | undefined;
}

/** A sent prompt: the fields before the messages, and the messages. */
export interface Prefix {
  readonly head: Pick<Configuration, "model" | "system" | "tools" | "parameters">;
  readonly messages: readonly FlatMessage[];
}
