import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { inCopies } from "./changed-copy/in-copies.ts";
import { createNearTests, type NearTests } from "./changed-copy/near-tests.ts";
import { openCopy } from "./changed-copy/open-copy.ts";
import { packageOf, readPackage } from "./changed-copy/read-package.ts";
import { type MutantFate, mutationScore, survivingKinds } from "./mutants/mutation-score.ts";
import { describeMutant, FOLDERS, type FolderMutant, folderPath, placeMutants } from "./mutants/place-mutants.ts";
import { type TestTimes, tryMutant } from "./mutants/try-mutant.ts";

/** Makes small mistakes in the sources, one at a time in a copy of the repository, and counts those that the nearest tests notice. */
const { values } = parseArgs({
  options: {
    folder: { type: "string", default: Object.keys(FOLDERS).join(",") },
    /** Mistakes per folder, chosen by chance. */
    sample: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    /** The nearest test files of a mistake: so many are run, until one fails. */
    tests: { type: "string", default: "20" },
    workers: { type: "string", default: String(availableParallelism()) },
    json: { type: "boolean" },
  },
});
const root = process.cwd();
const seed = Number(values.seed);
const names = values.folder.split(",");
const near = new Map<string, NearTests>();
const mutants: readonly FolderMutant[] = names.flatMap((name) => {
  const owner = packageOf(folderPath(name));
  const sources = readPackage(root, owner);
  if (!near.has(owner)) near.set(owner, createNearTests(sources));
  return placeMutants(name, sources.sources, { count: Number(values.sample), seed });
});
const times: TestTimes = new Map();

const fates = await inCopies(mutants, {
  workers: Number(values.workers),
  open: () => openCopy({ from: root, seed }),
  act: (mutant, copy) =>
    tryMutant(mutant, {
      copy,
      times,
      nearTests: near.get(packageOf(mutant.file))!,
      mostTests: Number(values.tests),
    }),
  onDone: (mutant, fate, { done, leftMs }) =>
    console.error(
      `${done}/${mutants.length} ${fate} ${describeMutant(mutant)} (${Math.ceil(leftMs / 60_000)} min left)`,
    ),
});
const judged = mutants.map((mutant, index) => ({ ...mutant, fate: fates[index]! }));
const fatesOf = (name: string): readonly MutantFate[] =>
  judged.filter(({ folder }) => folder === name).map(({ fate }) => fate);
const report = {
  seed,
  folders: Object.fromEntries(names.map((name) => [name, mutationScore(fatesOf(name))])),
  all: mutationScore(fates),
  surviving_kinds: survivingKinds(judged),
  survivors: judged.filter(({ fate }) => fate === "survived").map(describeMutant),
};
if (values.json) console.log(JSON.stringify(report, undefined, 2));
else {
  for (const [name, { mutants: count, score_pct, low, high }] of Object.entries({ ...report.folders, all: report.all }))
    console.log(`${name}: ${score_pct}% of ${count} (${low} to ${high}%)`);
  for (const survivor of report.survivors) console.log(survivor);
}
