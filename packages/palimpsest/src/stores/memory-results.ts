import type { ResultFiles } from "./results.ts";
import { sha256 } from "./sha256.ts";

export interface MemoryResultsOptions {
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

interface KeptResult {
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

/** Creates storage for results that lasts as long as the process: for tests and temporary sessions. */
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
          const bytes = joined(parts);
          const digest = sha256(bytes);
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
            // A copy, so that the reader may change it.
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
    async remove(session, file) {
      if (file !== undefined) sessions.get(session)?.delete(file);
      if (file === undefined || sessions.get(session)?.size === 0) sessions.delete(session);
    },
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
