import type { Clock } from "./clock.ts";

interface Entry {
  readonly lifetimeMs: number;
  expiresAtMs: number;
}

/**
 * Cached prefixes by key. An entry lives for its lifetime and every read starts that lifetime again, as the providers
 * do; an entry that is exactly as old as its lifetime is gone (measured on recorded sessions: the edge is sharp).
 */
export class PromptCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #sweepAtSize = 1_024;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAtMs > this.#clock.now();
  }

  /** Starts the lifetime of a live entry again; does nothing for a dead one. */
  refresh(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.has(key)) entry.expiresAtMs = this.#clock.now() + entry.lifetimeMs;
  }

  /** A prefix written again with a shorter lifetime keeps the longer one. */
  write(key: string, lifetimeMs: number): void {
    const living = this.has(key) ? this.#entries.get(key)! : undefined;
    const longerMs = Math.max(lifetimeMs, living?.lifetimeMs ?? 0);
    this.#entries.set(key, { lifetimeMs: longerMs, expiresAtMs: this.#clock.now() + longerMs });
    if (this.#entries.size > this.#sweepAtSize) this.#sweep();
  }

  clear(): void {
    this.#entries.clear();
  }

  #sweep(): void {
    for (const key of this.#entries.keys()) if (!this.has(key)) this.#entries.delete(key);
    this.#sweepAtSize = Math.max(1_024, this.#entries.size * 2);
  }
}
