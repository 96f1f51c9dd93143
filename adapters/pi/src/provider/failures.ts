// Finds the HTTP status and the body of a failed answer.

import type { FetchFunction } from "@earendil-works/pi-ai";
import type { PiModel, PiOptions, PiResponse } from "./wire.ts";

/** Watches the HTTP responses to the calls of one request. */
export interface Watch {
  /** The options that let this watcher see the responses of a call. */
  readonly options: Pick<PiOptions, "fetch">;
  /** Converts a failed answer to an error in the form of other clients. */
  toError(failed: PiResponse): Error;
}

/** Watches HTTP responses, because pi keeps only the text of an error. The response has the time to wait and the status. */
export function watchFailures({ api }: Pick<PiModel, "api">, customFetch: FetchFunction | undefined): Watch {
  let answered: { readonly status: number | undefined; readonly headers: Headers | undefined } | undefined;
  const call = customFetch ?? fetch;
  const watched: FetchFunction = async (input, init) => {
    try {
      const response = await call(input, init);
      answered = response.ok ? undefined : { status: response.status, headers: response.headers };
      return response;
    } catch (error) {
      answered = { status: undefined, headers: undefined };
      throw error;
    }
  };
  return {
    options: FETCHING.includes(api) ? { fetch: watched } : {},
    toError: (failed) => Object.assign(toError(failed), answered),
  };
}

/** The APIs that call the `fetch` of the options. Other APIs refuse the option. */
const FETCHING: readonly string[] = ["anthropic-messages", "openai-responses", "openai-completions"];

/** Creates an error from the text of a failed answer, with the status, code and body that the text contains. */
export function toError({ errorMessage = "The call failed.", stopReason }: PiResponse): Error {
  const status = STATUS.exec(errorMessage)?.[1];
  const error = Object.assign(new Error(errorMessage), {
    code: CODE.exec(errorMessage)?.[1] ?? (OVERLOADED.test(errorMessage) ? "overloaded" : undefined),
    error: bodyIn(errorMessage),
    ...(status === undefined ? {} : { status: Number(status) }),
  });
  if (stopReason === "aborted") error.name = "AbortError";
  return error;
}

/** Matches an error inside a stream as pi writes it: the code, then the text. */
const CODE = /^(?:Error Code )?([a-z]+(?:_[a-z]+)+): /;
/** Matches an error of which pi keeps only the text, without a code. */
const OVERLOADED = /\bcurrently overloaded\b/i;
const STATUS = /^\D{0,40}\b([45]\d\d)\b/;

function bodyIn(text: string): unknown {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
