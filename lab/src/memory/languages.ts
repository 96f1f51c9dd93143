import { readFileSync } from "node:fs";
import { withMemoryOf } from "./measure-recall.ts";

type Pairs = readonly (readonly [fact: string, question: string])[];

/**
 * How many questions find their fact first, in twelve languages. The facts and questions were written for this experiment. It is easy to
 * find the right one of 20 short texts: the figures show which languages a search cannot read, not how good it is.
 */
export async function measureLanguages(): Promise<Readonly<Record<string, string>>> {
  const languages = JSON.parse(readFileSync(new URL("./languages.json", import.meta.url), "utf8")) as Record<
    string,
    Pairs
  >;
  const found: [string, string][] = [];
  for (const [language, pairs] of Object.entries(languages)) {
    const texts = pairs.map(([text], at) => ({ slug: `fact-${at}`, name: "x", text, evidence: [] }));
    const first = await withMemoryOf(texts, async (memory) => {
      let count = 0;
      for (const [at, [, question]] of pairs.entries()) {
        if ((await memory.search(question, 1))[0]?.slug === `fact-${at}`) count++;
      }
      return count;
    });
    found.push([language, `${first} of ${pairs.length}`]);
  }
  return Object.fromEntries(found);
}
