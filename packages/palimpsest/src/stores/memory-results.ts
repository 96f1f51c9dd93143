import { createHash } from "node:crypto";
import type { ResultFiles } from "./results.ts";

export interface MemoryResultsOptions {
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

interface KeptResult {
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

/** Keeps results for as long as the process lives: for tests, and for sessions that nobody wants back. */
export function memoryResults({ clock = { now: Date.now } }: MemoryResultsOptions = {}): ResultFiles {
  const sessions = new Map<string, Map<string, KeptResult>>();
  return {
    async create(session) {
      const parts: Uint8Array[] = [];
      return {
        async write(bytes) {
          parts.push(bytes.slice());
        },
        async keep(ending) {
          const bytes = Buffer.concat(parts);
          const digest = createHash("sha256").update(bytes).digest("hex");
          const file = `${digest}.${ending}`;
          const kept = sessions.get(session) ?? new Map<string, KeptResult>();
          sessions.set(session, kept.set(file, { bytes, atMs: clock.now() }));
          return { file, digest };
        },
        async discard() {
          parts.length = 0;
        },
      };
    },
    async find(session, file) {
      const found = sessions.get(session)?.get(file);
      return (
        found && {
          bytes: found.bytes.length,
          chunks: async function* () {
            // A copy: whoever reads may do with it as they like.
            yield new Uint8Array(found.bytes);
          },
        }
      );
    },
    locate: () => undefined,
    async *sessions() {
      yield* [...sessions.keys()];
    },
    async measure(session) {
      const kept = [...(sessions.get(session)?.values() ?? [])];
      if (kept.length === 0) return undefined;
      return {
        bytes: kept.reduce((sum, { bytes }) => sum + bytes.length, 0),
        newestAtMs: Math.max(...kept.map(({ atMs }) => atMs)),
      };
    },
    async remove(session) {
      sessions.delete(session);
    },
  };
}
