import { type Problem, problem } from "./problems.ts";

export interface StreamLimits {
  readonly maxStreams: number;
  readonly maxStreamsPerToken: number;
}

export interface StreamSlots {
  /** Counts a stream until `free` is called, or refuses it. */
  take(token: string): { readonly kind: "taken"; free(): void } | Problem;
}

/** Counts open streams, in all and for each token. */
export function createStreamSlots({ maxStreams, maxStreamsPerToken }: StreamLimits): StreamSlots {
  const open = new Map<string, number>();
  const all = (): number => [...open.values()].reduce((sum, count) => sum + count, 0);
  return {
    take(token) {
      const own = open.get(token) ?? 0;
      if (own >= maxStreamsPerToken)
        return problem(
          "too-many-streams",
          `The token has ${own} open streams, the most it may have here. Close one, then connect again.`,
          { retryAfterMs: 5_000 },
        );
      if (all() >= maxStreams)
        return problem(
          "too-many-streams",
          `The server has ${maxStreams} open streams, its limit. Connect again later, or to another server.`,
          { retryAfterMs: 5_000 },
        );
      open.set(token, own + 1);
      return {
        kind: "taken",
        free() {
          const left = (open.get(token) ?? 1) - 1;
          if (left > 0) open.set(token, left);
          else open.delete(token);
        },
      };
    },
  };
}
