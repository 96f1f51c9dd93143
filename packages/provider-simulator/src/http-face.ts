import type { Fault } from "./faults.ts";
import type { Usage } from "./usage.ts";
import type { CacheOutcome } from "./verdict.ts";

/** One HTTP call, read to its end. Header names are in lower case. */
export interface HttpCall {
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  /** What follows the question mark. @default nothing */
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as it came, which need not be text. @default the bytes of `body` */
  readonly bytes?: Uint8Array;
}

export interface ServerSentEvent {
  /** Absent if the protocol sends data lines only. */
  readonly event?: string;
  readonly data: string;
}

/** The bytes of an event, by the rules of server-sent events. */
export function encodeEvent({ event, data }: ServerSentEvent): Uint8Array {
  return Buffer.from(`${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`);
}

/** The outcome of a call, for the record. */
export type Outcome =
  | { readonly kind: "refused"; readonly status: number; readonly message: string }
  /** The simulator or a script threw an error: no behavior of a provider. */
  | { readonly kind: "broken"; readonly message: string }
  | {
      readonly kind: "answered";
      readonly usage: Usage;
      readonly cache: CacheOutcome;
      readonly priceUsd: number;
      readonly responseId: string;
    }
  /** Counting, listing models: nothing was billed. */
  | { readonly kind: "free" };

/** The response as data; the server sends it. */
export type HttpReply =
  | {
      readonly kind: "json";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
      /** As for a stream. */
      readonly begun?: () => void;
      readonly outcome: Outcome;
    }
  | {
      readonly kind: "stream";
      readonly headers: Readonly<Record<string, string>>;
      readonly events: readonly ServerSentEvent[];
      /** The bytes of an event. @default those of a server-sent event */
      readonly encode?: (event: ServerSentEvent) => Uint8Array;
      /** Breaks the stream. An error event is already among `events`. */
      readonly fault?: Extract<Fault, { kind: "stream-cut" | "stream-stall" }>;
      /** Called when the first byte leaves: from then on the prompt can be read from the cache. */
      readonly begun: () => void;
      readonly outcome: Outcome;
    }
  /** Bytes that a real service sent; a connection that broke there breaks again. */
  | {
      readonly kind: "bytes";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly bytes: Uint8Array;
      readonly ended: "whole" | "cut";
      /** As for a stream. */
      readonly begun?: () => void;
      readonly outcome: Outcome;
    }
  | { readonly kind: "reset"; readonly outcome: Outcome };

/** The endpoints of one provider. Returns undefined for a call to another provider. */
export interface HttpFace {
  handle(call: HttpCall): HttpReply | undefined;
}

/** A face whose answers may take time. Every face is one, too. */
export interface AsyncHttpFace {
  handle(call: HttpCall): HttpReply | undefined | Promise<HttpReply | undefined>;
}
