import type { ProxyEvent } from "../proxy-event.ts";
import type { Splice } from "../wire/splice.ts";
import type { ArrivedRequest, Exchange } from "./exchange.ts";

/** What the thread is started with. */
export interface ThreadOptions {
  readonly folder: string;
  /** Results beyond this many bytes are stored. */
  readonly maxResultBytes: number;
  /** Where exchanges are recorded. */
  readonly record?: string;
}

/** To the thread. Each is answered by a `done` with the same number. */
export type ThreadOrder =
  | { readonly kind: "observe"; readonly number: number; readonly exchange: Exchange }
  | { readonly kind: "plan"; readonly number: number; readonly arrived: ArrivedRequest; readonly body: Uint8Array }
  /** A plan came too late: the request was sent as it was. */
  | { readonly kind: "unused"; readonly number: number; readonly plan: number };

/** From the thread. */
export type ThreadReport =
  /** Has loaded its modules. */
  | { readonly kind: "ready" }
  | { readonly kind: "event"; readonly event: ProxyEvent }
  | { readonly kind: "done"; readonly number: number; readonly splices?: readonly Splice[] };
