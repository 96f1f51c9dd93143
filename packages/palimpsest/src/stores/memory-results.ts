import { createHash } from "node:crypto";
import type { ResultFiles } from "./results.ts";

/** Keeps results for as long as the process lives: for tests, and for sessions that nobody wants back. */
export function memoryResults(): ResultFiles {
  const kept = new Map<string, Uint8Array>();
  const keyOf = (session: string, file: string): string => JSON.stringify([session, file]);
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
          kept.set(keyOf(session, file), bytes);
          return { file, digest };
        },
        async discard() {
          parts.length = 0;
        },
      };
    },
    async find(session, file) {
      const bytes = kept.get(keyOf(session, file));
      return (
        bytes && {
          bytes: bytes.length,
          chunks: async function* () {
            yield bytes;
          },
        }
      );
    },
    locate: () => undefined,
  };
}
