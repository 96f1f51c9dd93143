import { PalimpsestError } from "../log/palimpsest-error.ts";

/**
 * Why a call failed, in one form for all providers. `overflow`: the input does not fit, by tokens or by bytes.
 * `media-refused`: the provider rejects an image or a document; `place` names it if the provider does. `rate-limited`,
 * `overloaded`, `broken-stream` and `unreachable` can be retried. `aborted`: the caller stopped the call. `refused`:
 * the request itself is invalid or not allowed.
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

/** `unsupported`: a media type that the provider rejects. `no-media`: the model accepts no media at all. */
export type MediaProblem = "unreadable" | "too-large" | "too-many" | "unsupported" | "no-media";

/** A failed call to a provider. `failure` says why; `cause` is the client's own error. */
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
