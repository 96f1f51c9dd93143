import type { Outcome, ServerSentEvent } from "./http-face.ts";
import { addUsage, NO_USAGE, type Usage } from "./usage.ts";

/** One call as the service received it, with its outcome. */
export interface Exchange {
  readonly index: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request's body, byte for byte, and the same as text. */
  readonly bytes: Uint8Array;
  readonly body: string;
  /** The response; a stream as its events, before any fault broke it. */
  readonly response:
    | {
        readonly kind: "json";
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: unknown;
      }
    | {
        readonly kind: "stream";
        readonly headers: Readonly<Record<string, string>>;
        readonly events: readonly ServerSentEvent[];
      }
    | {
        readonly kind: "bytes";
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly bytes: Uint8Array;
      }
    | { readonly kind: "none" };
  readonly outcome: Outcome;
}

/** Keeps every exchange in memory, to be read back by tests and benches. */
export class Recorder {
  readonly #exchanges: Exchange[] = [];

  record(exchange: Omit<Exchange, "index">): Exchange {
    const recorded = { index: this.#exchanges.length, ...exchange };
    this.#exchanges.push(recorded);
    return recorded;
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  get last(): Exchange | undefined {
    return this.#exchanges.at(-1);
  }

  /** Returns the usage and the cost of all answered exchanges together. */
  total(): { usage: Usage; priceUsd: number; answered: number; refused: number } {
    const total = { usage: NO_USAGE, priceUsd: 0, answered: 0, refused: 0 };
    for (const { outcome } of this.#exchanges) {
      if (outcome.kind === "refused") total.refused++;
      if (outcome.kind !== "answered") continue;
      total.answered++;
      total.usage = addUsage(total.usage, outcome.usage);
      total.priceUsd += outcome.priceUsd;
    }
    return total;
  }

  clear(): void {
    this.#exchanges.length = 0;
  }
}
