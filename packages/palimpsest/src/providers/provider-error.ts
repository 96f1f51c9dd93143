import { PalimpsestError } from "../log/palimpsest-error.ts";

/**
 * Why a call failed, whatever way the provider has of saying so.
 * `overflow`: the input does not fit, by tokens or by bytes. `media-refused`: an image or a document is not taken, which one
 * by its place in the request where the provider says it. `rate-limited`, `overloaded`, `broken-stream` and
 * `unreachable` can be tried again. `aborted` was asked for. `refused`: the request itself is wrong or not allowed.
 */
export type ProviderFailure =
  | {
      readonly kind: "overflow";
      readonly by: "tokens" | "bytes";
      readonly inputTokens?: number;
      readonly limitTokens?: number;
    }
  | {
      readonly kind: "media-refused";
      readonly problem: MediaProblem;
      readonly media: "image" | "document";
      readonly place?: string;
    }
  | { readonly kind: "rate-limited"; readonly retryAfterMs?: number }
  | { readonly kind: "overloaded"; readonly retryAfterMs?: number }
  | { readonly kind: "broken-stream" }
  | { readonly kind: "unreachable" }
  | { readonly kind: "aborted" }
  | { readonly kind: "refused"; readonly status?: number };

/** `unsupported`: a type that is not taken. `no-media`: this model takes none at all. */
export type MediaProblem = "unreadable" | "too-large" | "too-many" | "unsupported" | "no-media";

/** A call to a provider failed. `failure` says how; `cause` is what the client threw. */
export class ProviderError extends PalimpsestError {
  static readonly code = "provider";
  readonly code: string = ProviderError.code;
  readonly provider: string;
  readonly failure: ProviderFailure;

  constructor(provider: string, failure: ProviderFailure, message: string, options?: ErrorOptions) {
    super(`${provider}: ${message}`, options);
    this.provider = provider;
    this.failure = failure;
  }
}
