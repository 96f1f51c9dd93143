import { expect, test } from "vitest";
import type { TestsWanted } from "../changed-copy/tests-process.ts";
import type { TestsRun } from "../changed-copy/tests-run.ts";
import { tryMutant } from "./try-mutant.ts";

const MUTANT = { kind: "number", file: "a.ts", source: "a(1)", start: 2, end: 3, text: "2" } as const;
const TIMES_MS = { "near.test.ts": 4_000, "long.test.ts": 30_000, "far.test.ts": 5_000, "broken.test.ts": 1_000 };

/** A copy in which one test fails by itself, and others as they are told to. */
function createCopy(
  failing: readonly string[],
  outcome: "answers" | "hangs" = "answers",
  types: "right" | "wrong" = "right",
) {
  const wanted: TestsWanted[] = [];
  return {
    wanted,
    checkTypes: () => Promise.resolve(types),
    async run(one: TestsWanted): Promise<TestsRun | "too-slow"> {
      wanted.push(one);
      if (one.changes.length > 0 && outcome === "hangs") return "too-slow";
      const files = one.tests.map((file) => {
        const fails = file === "broken.test.ts" || (one.changes.length > 0 && failing.includes(file));
        const durationMs = TIMES_MS[file as keyof typeof TIMES_MS];
        return { file, passed: 1, failed: fails ? ["it"] : [], loadErrors: [], durationMs };
      });
      return { files, strayErrors: [] };
    },
  };
}

const NEAR = ["near.test.ts", "broken.test.ts", "long.test.ts", "far.test.ts"];
const options = { nearTests: () => NEAR, mostTests: 3 };

test("some of the nearest tests judge, and none that fails by itself", async () => {
  const copy = createCopy([]);
  const times = new Map();
  expect(await tryMutant(MUTANT, { ...options, copy, times })).toBe("survived");
  expect(copy.wanted.at(-1)).toEqual({
    changes: [{ file: "a.ts", text: "a(2)" }],
    tests: ["near.test.ts", "long.test.ts"],
  });
  // Measured once: the next mistake is judged at once.
  expect(await tryMutant(MUTANT, { ...options, copy, times })).toBe("survived");
  expect(copy.wanted).toHaveLength(options.mostTests + 2);
});

test("a test that fails kills it, and so does one that never ends", async () => {
  expect(await tryMutant(MUTANT, { ...options, copy: createCopy(["long.test.ts"]), times: new Map() })).toBe("killed");
  expect(await tryMutant(MUTANT, { ...options, copy: createCopy([], "hangs"), times: new Map() })).toBe("killed");
});

test("where no test reaches the file, it survives", async () => {
  const none = { ...options, nearTests: () => [], copy: createCopy([]), times: new Map() };
  expect(await tryMutant(MUTANT, none)).toBe("survived");
});

test("what no test notices, and the compiler does, is of a wrong type", async () => {
  const wrong = { ...options, copy: createCopy([], "answers", "wrong"), times: new Map() };
  expect(await tryMutant(MUTANT, wrong)).toBe("wrong-type");
  expect(await tryMutant(MUTANT, { ...wrong, nearTests: () => [] })).toBe("wrong-type");
  const failing = createCopy(["near.test.ts"], "answers", "wrong");
  expect(await tryMutant(MUTANT, { ...wrong, copy: failing, times: new Map() })).toBe("killed");
});
