import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { inCopies } from "./changed-copy/in-copies.ts";
import { createNearTests, type NearTests } from "./changed-copy/near-tests.ts";
import { openCopy } from "./changed-copy/open-copy.ts";
import { packageOf, readPackage } from "./changed-copy/read-package.ts";
import type { Verdict } from "./changed-copy/tests-run.ts";
import { type PlantedBug, readBugs } from "./planted/planted-bug.ts";
import { type Fate, tallyBugs } from "./planted/planted-tally.ts";
import { tryBug } from "./planted/try-bug.ts";

/** Plants each bug of test/planted/bugs.json in a copy of the repository, and counts those that the tests of its package notice. */
const { values } = parseArgs({
  options: {
    /** Ids, separated by commas. @default all */
    only: { type: "string" },
    /** All tests of the package that reach the changed file, not just the one that is known to fail. */
    "all-tests": { type: "boolean" },
    workers: { type: "string", default: String(availableParallelism()) },
    /** Of the random cases in the tests. */
    seed: { type: "string", default: "1" },
    json: { type: "boolean" },
  },
});
const root = process.cwd();
const bugs = chosen(readBugs(root), values.only?.split(","));
const ofPackages = new Map<string, NearTests>();
const sound = new Map<string, Promise<Verdict>>();

const fates = await inCopies(bugs, {
  workers: Number(values.workers),
  open: () => openCopy({ from: root, seed: Number(values.seed) }),
  act: (bug, copy) =>
    tryBug(bug, { copy, nearTests, sound, tests: values["all-tests"] ? "all" : "named" }).catch(
      (error: unknown): Fate => ({ kind: "error", why: String(error) }),
    ),
  onDone: (bug, fate, { done, leftMs }) =>
    console.error(`${done}/${bugs.length} ${bug.id} ${told(fate)} (${Math.ceil(leftMs / 60_000)} min left)`),
});
const tally = tallyBugs(bugs.map((bug, index) => ({ bug, fate: fates[index]! })));
if (values.json) console.log(JSON.stringify(tally, undefined, 2));
else console.log(`${tally.planted} planted, ${tally.caught} caught; escaped: ${tally.escaped.join(", ") || "none"}`);
process.exitCode = tally.caught === tally.planted ? 0 : 1;

function nearTests(file: string): readonly string[] {
  const folder = packageOf(file);
  const known = ofPackages.get(folder) ?? createNearTests(readPackage(root, folder));
  ofPackages.set(folder, known);
  return known(file);
}

function chosen(all: readonly PlantedBug[], ids: readonly string[] | undefined): readonly PlantedBug[] {
  const unknown = ids?.filter((id) => !all.some((bug) => bug.id === id)) ?? [];
  if (unknown.length > 0) throw new Error(`No such bug: ${unknown.join(", ")}`);
  return ids === undefined ? all : all.filter(({ id }) => ids.includes(id));
}

function told(fate: Fate): string {
  if (fate.kind === "caught") return `caught by ${fate.by}: ${fate.test}`;
  return fate.kind === "escaped" ? `escaped ${fate.tests} test files` : `could not be judged: ${fate.why}`;
}
