import { expect, test } from "vitest";
import type { TestsWanted } from "../changed-copy/tests-process.ts";
import type { TestsRun } from "../changed-copy/tests-run.ts";
import { tryBug } from "./try-bug.ts";

const BUG = {
  id: "X1",
  bug: "",
  edits: [{ file: "a.ts", find: "1", replace: "2" }],
};

/** Tests that fail with a bug, or always. */
function createCopy(fails: { readonly withBug?: string; readonly always?: string }) {
  const wanted: TestsWanted[] = [];
  return {
    wanted,
    read: () => "a = 1;",
    async run(one: TestsWanted): Promise<TestsRun> {
      wanted.push(one);
      const isFailing = (file: string): boolean =>
        file === fails.always || (one.changes.length > 0 && file === fails.withBug);
      const files = one.tests.map((file) => ({
        file,
        passed: 1,
        failed: isFailing(file) ? ["it"] : [],
        loadErrors: [],
        durationMs: 1,
      }));
      return { files, strayErrors: [] };
    },
  };
}

const options = { nearTests: () => ["near.test.ts", "far.test.ts"], tests: "named" as const };

test("a bug is caught by a test that passes without it, and each test is asked for that once", async () => {
  const copy = createCopy({ withBug: "far.test.ts" });
  const sound = new Map();
  const caught = { kind: "caught", by: "far.test.ts", test: "it" };
  expect(await tryBug(BUG, { ...options, copy, sound })).toEqual(caught);
  expect(await tryBug(BUG, { ...options, copy, sound })).toEqual(caught);
  expect(copy.wanted.filter(({ changes }) => changes.length === 0)).toEqual([{ changes: [], tests: ["far.test.ts"] }]);
});

test("the named test alone is run, unless all are wanted", async () => {
  const copy = createCopy({ withBug: "far.test.ts" });
  const named = { ...BUG, test: "named.test.ts" };
  expect(await tryBug(named, { ...options, copy, sound: new Map() })).toEqual({ kind: "escaped", tests: 1 });
  const all = await tryBug(named, { ...options, copy, sound: new Map(), tests: "all" });
  expect(all).toMatchObject({ kind: "caught", by: "far.test.ts" });
});

test("a test that fails now and then catches nothing", async () => {
  const failing = createCopy({ withBug: "near.test.ts" });
  const passing = createCopy({});
  const copy = {
    read: failing.read,
    run: (one: TestsWanted) => (failing.wanted.length === 0 ? failing : passing).run(one),
  };
  const fate = await tryBug(BUG, { ...options, copy, sound: new Map() });
  expect(fate).toEqual({ kind: "error", why: "near.test.ts fails now and then: it" });
});

test("a test that fails anyway catches nothing", async () => {
  const fate = await tryBug(BUG, { ...options, copy: createCopy({ always: "near.test.ts" }), sound: new Map() });
  expect(fate).toEqual({ kind: "error", why: "near.test.ts fails without the bug, too" });
});
