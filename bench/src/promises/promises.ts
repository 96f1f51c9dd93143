import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { createRandom } from "../random.ts";
import { CASES } from "./cases.ts";
import type { PromiseCase } from "./promise-case.ts";

const SEEDS = { quick: 1, full: 3 } as const;

/** Whether the promises of the documentation hold at the edges, and whether anything fails without a word. */
export const promisesBench: Bench = {
  name: "promises",
  figures: "counts",
  about: "promises to users, tried end to end in library and agent: how many are broken, how many break in silence",
  async run({ size, only = "" }) {
    const results: Result[] = [];
    const cases = casesWith(only);
    for (let seed = 1; seed <= SEEDS[size]; seed++) {
      for (const one of cases) {
        const startedAtMs = Date.now();
        process.stderr.write(`${results.length + 1} of ${cases.length * SEEDS[size]}: ${one.side}: ${one.promise}`);
        const result = await tryCase(one, seed);
        const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
        process.stderr.write(` (${seconds} s)${complaints(result)}\n`);
        results.push(result);
      }
    }
    const failures = results.filter(({ broken, silent }) => broken.length + silent.length > 0);
    return {
      cases: results.length,
      broken: results.filter(({ broken }) => broken.length > 0).length,
      silent: results.filter(({ silent }) => silent.length > 0).length,
      ...(failures.length === 0 ? {} : { failures }),
    };
  },
};

/** Those whose area, side or promise has the text in it. */
function casesWith(text: string): readonly PromiseCase[] {
  return Object.entries(CASES).flatMap(([area, cases]) =>
    cases.filter(({ side, promise }) => `${area} ${side} ${promise}`.includes(text)),
  );
}

const complaints = ({ broken, silent }: Result): string =>
  [...broken.map((what) => `\n  broken: ${what}`), ...silent.map((what) => `\n  silent: ${what}`)].join("");

interface Result {
  readonly promise: string;
  readonly seed: number;
  readonly broken: readonly string[];
  readonly silent: readonly string[];
}

async function tryCase({ promise, side, check }: PromiseCase, seed: number): Promise<Result> {
  const broken: string[] = [];
  const silent: string[] = [];
  let stated = 0;
  await inTemporaryFolder(async (folder) => {
    const note = (to: string[]) => (condition: boolean, what: string) => {
      stated++;
      if (!condition) to.push(what);
    };
    const random = createRandom(`${promise} ${seed}`);
    try {
      await check({ seed, random, folder, holds: note(broken), reported: note(silent) });
    } catch (error) {
      broken.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  });
  // A case that stated nothing has tried nothing.
  if (stated === 0) broken.push("the case stated nothing");
  return { promise: `${side}: ${promise}`, seed, broken, silent };
}
