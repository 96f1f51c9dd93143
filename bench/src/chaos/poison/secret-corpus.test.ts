import { findSecrets } from "@palimpsest/memory";
import { describe, expect, test } from "vitest";
import { secretCorpus } from "./secret-corpus.ts";

describe("the secrets", () => {
  test("are many, of many kinds, and the same for the same seed", () => {
    const corpus = secretCorpus(1);
    expect(corpus.length).toBeGreaterThan(300);
    expect(new Set(corpus.map(({ family, name }) => `${family}: ${name}`)).size).toBeGreaterThan(150);
    expect(secretCorpus(1)).toEqual(corpus);
    const other = new Set(secretCorpus(2).map(({ text }) => text));
    expect(corpus.filter(({ text }) => other.has(text)).length).toBeLessThan(10);
  });

  test("are found, 99 of 100 and more, whatever the seed", async () => {
    for (const seed of [11, 12, 13]) {
      const corpus = secretCorpus(seed);
      const missed = await Array.fromAsync(corpus, async ({ text }) =>
        (await findSecrets(text)).length === 0 ? 1 : 0,
      );
      const share = missed.reduce((sum: number, one) => sum + one, 0) / corpus.length;
      expect(share).toBeLessThan(0.01);
    }
  });
});
