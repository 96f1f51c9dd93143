import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Embedder, openMemory } from "@palimpsest/memory";
import type { Searcher } from "./compare.ts";

const DIMENSIONS = 512;

/**
 * A deterministic embedder: counts of three letters in a row, hashed into dimensions. It knows forms of words and no meanings, so it
 * shows what a hybrid search gains or loses by a weak embedder. What a good one gains, only its owner can measure.
 */
const LETTERS: Embedder = {
  name: "letters-512",
  clearAt: 0.5,
  embed: async (texts) => texts.map(letterVector),
};

/** Our search by words and by the vectors of letters, as a memory does it: the candidates for a choice, in their order. */
export const withLetterVectors: Searcher = async (memories) => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-letters-"));
  const day = Date.parse("2025-07-01");
  const memory = await openMemory({
    folder,
    embedder: LETTERS,
    clock: { now: () => day },
    limits: { indexLines: 1_000, indexBytes: 200_000 },
  });
  process.once("exit", () => void rm(folder, { recursive: true, force: true }));
  const filled = await memory.batch("user", "The labeled memories", async (batch) => {
    for (const { slug, name, description, type, body } of memories)
      await batch.write({ slug, name, description, type, body }, "none");
  });
  if (filled.kind !== "written")
    throw new Error(`The memories were not written: ${JSON.stringify(filled).slice(0, 300)}`);
  return async (text) => memory.search(text, 20, async (_, candidates) => candidates.map(({ slug }) => slug));
};

function letterVector(text: string): Float64Array {
  const vector = new Float64Array(DIMENSIONS);
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) {
    const letters = [...` ${word} `];
    for (const [at] of letters.slice(2).entries()) {
      const place = hash(letters.slice(at, at + 3).join("")) % DIMENSIONS;
      vector[place] = vector[place]! + 1;
    }
  }
  return vector.map(Math.sqrt);
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ letter.codePointAt(0)!, 16_777_619) >>> 0;
  return value;
}
