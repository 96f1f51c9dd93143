import type { IncomingHttpHeaders } from "node:http";
import type { WireApi } from "../wire/wire-apis.ts";

/** What is known of a request before it has an answer. */
export interface ArrivedRequest {
  readonly api: WireApi;
  readonly upstream: string;
  /** Those that are known to be harmless. */
  readonly headers: IncomingHttpHeaders;
  /** Salted digest of the credentials. */
  readonly credential: string;
}

/** A request and its response, after both have gone by. */
export interface ExchangeFacts extends Omit<ArrivedRequest, "api"> {
  /** Undefined: an API that is recorded, and not looked at. */
  readonly api: WireApi | undefined;
  readonly method: string;
  /** Below the address of the service, with its query. */
  readonly path: string;
  /** When the request arrived. */
  readonly sentAtMs: number;
  /** When the response had gone. */
  readonly atMs: number;
  readonly status: number;
  /** Without credentials. */
  readonly responseHeaders: IncomingHttpHeaders;
  /** Whether the client received all that the service had announced. */
  readonly ended: "whole" | "cut";
  /** The service refused an edit of this request: the session is not edited any more. */
  readonly edits?: "refused";
}

export interface Exchange extends ExchangeFacts {
  /** As the client sent it. */
  readonly request: Uint8Array;
  /** As the service received it, if it was edited. */
  readonly edited?: Uint8Array;
  readonly response: Uint8Array;
}
