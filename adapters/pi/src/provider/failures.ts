import type { FetchFunction } from "@earendil-works/pi-ai";
import type { PiModel, PiOptions, PiResponse } from "./wire.ts";

/** What services answered to the calls of one request. */
export interface Watch {
  /** Options for the call, so that its answers are seen. */
  readonly options: Pick<PiOptions, "fetch">;
  /** The error of a failed answer, in the form that clients of services throw. */
  toError(failed: PiResponse): Error;
}

/** APIs whose calls go through the `fetch` of the options. Others refuse to be given one. */
const FETCHING: readonly string[] = ["anthropic-messages", "openai-responses", "openai-completions"];

/** pi keeps only the words of an error. How long to wait, and whether the service was reached at all, its answer tells. */
export function watchFailures({ api }: Pick<PiModel, "api">, given: FetchFunction | undefined): Watch {
  let answered: { readonly status: number | undefined; readonly headers: Headers | undefined } | undefined;
  const call = given ?? fetch;
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

/** How pi writes an error that came within a stream: its code, then its words. */
const CODE = /^(?:Error Code )?([a-z]+(?:_[a-z]+)+): /;
/** Of some errors pi keeps the words alone. */
const OVERLOADED = /\bcurrently overloaded\b/i;
const STATUS = /^\D{0,40}\b([45]\d\d)\b/;

/** An error with the words of a failed answer, and the status, code and body that are in them. */
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

function bodyIn(text: string): unknown {
  const start = text.indexOf("{");
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}
