import type { RateTurn, RateWait } from "./rate-turn.ts";

/** The place of one request, as the request sees it. */
export interface PlaceInQueue {
  /** The newest wait, or the turn. Rejects if the limits cannot be asked. */
  next(): Promise<RateWait | RateTurn>;
  readonly leave: () => void;
}

/** The same place, as the queue sees it. */
export interface Place extends PlaceInQueue {
  readonly tenant: string;
  readonly tokens: number;
  readonly joinedAtMs: number;
  tell(wait: RateWait): void;
  end(turn: RateTurn): void;
  fail(error: unknown): void;
}

export interface PlaceOptions {
  readonly tenant: string;
  readonly tokens: number;
  readonly joinedAtMs: number;
  onLeave(place: Place): void;
}

export function createPlace({ tenant, tokens, joinedAtMs, onLeave }: PlaceOptions): Place {
  const over = Promise.withResolvers<RateTurn>();
  // Nobody may listen any more when it fails.
  over.promise.catch(() => undefined);
  let told = Promise.withResolvers<RateWait>();
  const place: Place = {
    tenant,
    tokens,
    joinedAtMs,
    async next() {
      const step = await Promise.race([over.promise, told.promise]);
      told = Promise.withResolvers();
      return step;
    },
    leave() {
      onLeave(place);
      over.resolve({ kind: "aborted" });
    },
    tell: (wait) => told.resolve(wait),
    end: over.resolve,
    fail: over.reject,
  };
  return place;
}
