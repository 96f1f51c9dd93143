import type { UsageOfOthers } from "../../state/responses.ts";
import type { RecordedResponse } from "../recorded-response.ts";

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
