import type { NearTests } from "../changed-copy/near-tests.ts";
import type { RepositoryCopy } from "../changed-copy/open-copy.ts";
import { judgeRun, type Verdict } from "../changed-copy/tests-run.ts";
import { type PlantedBug, plant } from "./planted-bug.ts";
import type { Fate } from "./planted-tally.ts";

export interface TryBugOptions {
  readonly copy: Pick<RepositoryCopy, "read" | "run">;
  /** The tests of the package that a file belongs to. */
  readonly nearTests: NearTests;
  /** Tests that pass without any bug, as far as they were run: filled here, so that each is run once. */
  readonly sound: Map<string, Promise<Verdict>>;
  /** `named`: the test that is known to fail, if there is one. `all`: every test of the package that reaches the file. */
  readonly tests: "named" | "all";
}

/** Longer than any test of one package takes, on a machine that has other things to do. */
const LIMIT_MS = 1_800_000;

/** Plants a bug in a copy and sees whether a test of its package fails, which passes without it. */
export async function tryBug(bug: PlantedBug, options: TryBugOptions): Promise<Fate> {
  const { copy, nearTests, sound } = options;
  const changes = plant(bug, copy.read);
  const isNamed = options.tests === "named" && bug.test !== undefined;
  const tests = isNamed ? [bug.test!] : [...new Set(changes.flatMap(({ file }) => nearTests(file)))];
  if (tests.length === 0) return { kind: "escaped", tests: 0 };
  const verdict = await judge(copy, { changes, tests });
  if (verdict.kind === "could-not-run") return { kind: "error", why: verdict.why };
  if (verdict.kind === "passed") return { kind: "escaped", tests: tests.length };
  const { file, test } = verdict;
  // Twice with the bug, and once without it: a test that fails now and then catches nothing.
  const again = await judge(copy, { changes, tests: [file] });
  if (again.kind !== "failed") return { kind: "error", why: `${file} fails now and then: ${test}` };
  const without = sound.get(file) ?? judge(copy, { changes: [], tests: [file] });
  sound.set(file, without);
  const { kind } = await without;
  return kind === "passed"
    ? { kind: "caught", by: file, test }
    : { kind: "error", why: `${file} fails without the bug, too` };
}

async function judge(copy: TryBugOptions["copy"], wanted: Parameters<RepositoryCopy["run"]>[0]): Promise<Verdict> {
  const run = await copy.run(wanted, LIMIT_MS);
  return run === "too-slow" ? { kind: "could-not-run", why: "its tests do not end" } : judgeRun(run);
}
