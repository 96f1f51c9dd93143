import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from "vitest/node";
import type { TestsRun } from "./tests-run.ts";

/** A file of the copy with another content. */
export interface ChangedFile {
  /** From the copy's root. */
  readonly file: string;
  readonly text: string;
}

export interface TestsWanted {
  readonly changes: readonly ChangedFile[];
  /** From the copy's root, in the order in which they are to run. */
  readonly tests: readonly string[];
}

/** The tests that are most likely to fail come first: the run ends with the first that does. */
class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => order.indexOf(relative(root, moduleId));
    return Promise.resolve(files.toSorted((one, other) => place(one) - place(other)));
  }
}

/** A poll that waits for what never comes is over before the next bug's turn would be. */
const POLL_MS = 30_000;
/** A bug that hangs is noticed, too. No test takes a quarter of it. */
const TEST_MS = 120_000;

const root = process.cwd();
let order: readonly string[] = [];
/** Of this run: what Vitest returns also has the files of earlier runs, as they ended then. */
let ended: TestModule[] = [];
// It lives as long as the copy: each run loads only what was changed, and takes a second instead of five.
const vitest = await createVitest("test", {
  root,
  watch: false,
  project: ["newest"],
  bail: 1,
  reporters: [{ onTestModuleEnd: (module: TestModule) => void ended.push(module) }],
  maxWorkers: 1,
  sequence: { sequencer: AsGiven },
  expect: { poll: { timeout: POLL_MS } },
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
});

async function run({ changes, tests }: TestsWanted): Promise<TestsRun> {
  const before = changes.map(({ file }) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const write = (files: readonly ChangedFile[]): void => {
    for (const { file, text } of files) {
      writeFileSync(join(root, file), text);
      vitest.invalidateFile(join(root, file));
    }
  };
  write(changes);
  try {
    order = tests;
    ended = [];
    const [project] = vitest.projects;
    const specifications = tests.map((file) => project!.createSpecification(join(root, file)));
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const files = ended.map((module) => ({
      file: relative(root, module.moduleId),
      passed: [...module.children.allTests("passed")].length,
      failed: [...module.children.allTests("failed")].map(({ fullName }) => fullName),
      loadErrors: module.errors().map(({ message }) => message),
      durationMs: module.diagnostic().duration + module.diagnostic().collectDuration,
    }));
    return { files, strayErrors: unhandledErrors.map(String) };
  } finally {
    write(before);
  }
}

process.on("message", (wanted: TestsWanted) => {
  run(wanted).then(
    (answer) => process.send!(answer),
    (error: unknown) => process.send!({ files: [], strayErrors: [String(error)] } satisfies TestsRun),
  );
});
// Whoever started it has gone.
process.on("disconnect", () => process.exit());
process.send!("ready");
