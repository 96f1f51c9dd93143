import type { Cause } from "palimpsest/inspect";

/** What a proxy tells its host. No event holds a credential, or text of a conversation. */
export type ProxyEvent =
  /** A conversation was seen for the first time. */
  | {
      readonly kind: "session";
      readonly session: string;
      /** The client's own name for it. */
      readonly name?: string;
      readonly api: string;
      readonly upstream: string;
      /** The file that `palimpsest analyze` opens. */
      readonly log: string;
    }
  /** A request was answered and counted. */
  | ({ readonly kind: "response"; readonly usd?: number } & Placed & CountedTokens)
  /** Less was read from the prompt cache than the request before had left there. */
  | ({
      readonly kind: "break";
      readonly causes: readonly Cause[];
      /** Time since the request before. */
      readonly pauseMs: number;
      readonly rebilledTokens: number;
      /** What it cost; absent without prices. */
      readonly usd?: number;
      /** The first message that is different, counted from zero; absent if none before the new ones is. */
      readonly fromMessage?: number;
    } & Placed)
  /** The service, or the way to it, answered with an error. */
  | { readonly kind: "failed"; readonly upstream: string; readonly status: number; readonly why: string }
  /** In mode `store`: a large result of a tool was replaced. */
  | ({ readonly kind: "stored"; readonly callId: string; readonly bytes: number; readonly file: string } & Placed)
  /** The traffic went through untouched, and something that the proxy would have done was not done. */
  | { readonly kind: "passed"; readonly why: PassedReason; readonly detail: string };

/**
 * `too-large`, `too-much`: a body, or all that wait to be looked at. `unreadable`: not what the API takes. `not-written`: the log, for
 * example on a full disk. `too-slow`: the deadline for an edit. `no-key`: subscription traffic. `refused`: the service did not
 * accept an edited request. `observer`: the thread that looks at traffic failed.
 */
export type PassedReason =
  | "too-large"
  | "too-much"
  | "unreadable"
  | "not-written"
  | "too-slow"
  | "no-key"
  | "refused"
  | "observer";

interface Placed {
  readonly session: string;
  readonly atMs: number;
  readonly model?: string;
}

interface CountedTokens {
  readonly freshTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}
