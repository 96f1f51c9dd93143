import type { CacheFacts } from "./cause.ts";

/** Goes back to an earlier entry, which is this entry's parent. The entries in between are on another branch now. */
export interface RewindPayload {
  readonly reason: string;
  /** The ledger at this point: a rewind does not refund anything. */
  readonly ledger: unknown;
  /** The newest entry that was shown before and still is; 0 if there is none. */
  readonly sharedTo: number;
  /** The request at the end of the restored view. It may be sent again. */
  readonly request?: { readonly entry: number; readonly cache?: CacheFacts };
  /** Calls that are open again and had begun to run on the branch that was left: they may have taken effect. @default none */
  readonly begun?: readonly string[];
}

/** The first entry of a fork's own log: its parent session, and the entry at which the fork starts. */
export interface ForkPayload {
  readonly session: string;
  readonly sequence: number;
  /** The hash of that entry. It proves that both logs hold the same conversation. */
  readonly hash: string;
  /** The source under which its requests and token counts are recorded. */
  readonly source: string;
  /** The tools that it may use. The list of tools stays complete, so that the cache is found; calls of other tools are refused. @default all */
  readonly allowedTools?: readonly string[];
}
