import type { ServeOptions } from "@palimpsest/fleet";
import type { PostgresDispatchOptions } from "@palimpsest/postgres";
import type { DriverName } from "./driver.ts";

/** What a worker process is started with. */
export interface WorkerPlan
  extends Pick<PostgresDispatchOptions, "silentAfterMs" | "maxAttempts">,
    Pick<ServeOptions, "slots" | "renewEveryMs"> {
  readonly driver: DriverName;
  /** Where the driver's engine is, by names of its own. */
  readonly engine: Readonly<Record<string, string>>;
  readonly database: { readonly host: string; readonly port?: number };
  readonly modelUrl: string;
  readonly effectsUrl: string;
  /** `listen`: it hears of work at once, and tells those that listen what happens. @default "poll" */
  readonly news?: "listen" | "poll";
  /** The second release has one more tool, and does not crash by what the first one crashes by. @default 1 */
  readonly release?: 1 | 2;
  /** How long a tool takes, before and after it takes effect. @default 5 */
  readonly toolMs?: number;
}

/** A session whose name begins like this ends the process of the first release that opens it. */
export const POISON = "poison";
