import type { Usage } from "./usage.ts";

/** The service's refusal, exactly as it would arrive. */
export interface Refusal {
  readonly kind: "refused";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The human-readable text inside the body, if there is one. */
  readonly message: string;
}

/** The effect of the prompt cache on an accepted request. */
export interface CacheOutcome {
  /** Blocks of the prompt found in the cache, counted from its start. */
  readonly blocksRead: number;
  readonly blocksTotal: number;
  readonly tokensRead: number;
  readonly tokensWritten: number;
}

/** An accepted request, before the model answers. */
export interface Acceptance {
  readonly kind: "accepted";
  readonly model: string;
  /** The size of the prompt by the simulated model's own tokenizer, after the service dropped or cleared content. */
  readonly inputTokens: number;
  /** Input side only: `outputTokens` is 0. */
  readonly usage: Usage;
  readonly cache: CacheOutcome;
  /** The price of the input side. */
  readonly priceUsd: number;
}

/** Whether the service takes a request. */
export type Verdict = Acceptance | Refusal;

/** A response the simulated model gave, with its full usage and price. */
export interface Answered<Response> {
  readonly kind: "answered";
  readonly acceptance: Acceptance;
  readonly response: Response;
  readonly usage: Usage;
  readonly priceUsd: number;
}
