import { toApiError } from "./api-error.ts";

/** The server, the token, and how often a request is tried. */
export interface ClientOptions {
  /** The address of the server, such as `https://sessions.example.com`. */
  readonly url: string;
  /** A token of `palimpsest database tokens create`. */
  readonly token: string;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** How often a request that may be repeated is sent in all. @default 5 */
  readonly maxTries?: number;
  /** The wait before the second try; it doubles, up to 10 s. @default 500 */
  readonly retryMs?: number;
}

export interface Wanted {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** `free`: sending it twice does no harm. `never`: unless the server has refused it before it did anything. @default by the method */
  readonly repeat?: "free" | "never";
  readonly signal?: AbortSignal;
}

/** Sends requests, and sends those again that may be. */
export type Send = (wanted: Wanted) => Promise<Response>;

const MAX_WAIT_MS = 10_000;
/** Refused before anything was done. */
const NOT_BEGUN = new Set([429, 503]);
const MAY_PASS = new Set([429, 502, 503, 504]);

/** Creates the function that sends requests. It resolves to a reply that is fine, and throws an `ApiError` otherwise. */
export function createSend(options: ClientOptions): Send {
  const { url, token, fetch: send = fetch, maxTries = 5, retryMs = 500 } = options;
  return async ({
    method,
    path,
    query = {},
    headers = {},
    body,
    repeat = method === "POST" ? "never" : "free",
    signal,
  }) => {
    const address = new URL(path, url);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(name, String(value));
    const request: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": body === undefined ? undefined : "application/json",
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    };
    for (let tries = 1; ; tries++) {
      const waitMs = Math.min(MAX_WAIT_MS, retryMs * 2 ** (tries - 1));
      try {
        const response = await send(address, request);
        if (response.ok) return response;
        const passes = (repeat === "free" ? MAY_PASS : NOT_BEGUN).has(response.status);
        if (!passes || tries >= maxTries) throw new Refused(await toApiError(response));
        const afterMs = Number(response.headers.get("retry-after") ?? 0) * 1_000;
        await response.body?.cancel();
        await pause(Math.max(waitMs, afterMs), signal);
      } catch (error) {
        if (error instanceof Refused) throw error.error;
        if (signal?.aborted || repeat === "never" || tries >= maxTries) throw error;
        await pause(waitMs, signal);
      }
    }
  };
}

/** Tells a refusal of the server from a failure of the network. */
class Refused {
  readonly error: Error;
  constructor(error: Error) {
    this.error = error;
  }
}

/** Waits; ends early, with an error, if the signal is aborted. */
export function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, waitMs);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
