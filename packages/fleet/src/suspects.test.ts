import type { Run } from "@palimpsest/coordination";
import { expect, test } from "vitest";
import { createSuspects } from "./suspects.ts";

/** A run of which nothing is known but its attempt. Given back, it says so. */
function runAt(attempt: number, givenBack: string[], session = `s${attempt}`): Run {
  const release: Run["release"] = async ({ afterMs = 0 } = {}) => {
    givenBack.push(`${session} ${afterMs > 0 ? "for a while" : "at once"}`);
    return "waiting";
  };
  return { session, attempt, release, renew: async () => "held" } as Partial<Run> as Run;
}

test("the more attempts, the fewer run together: any number, four, two, one", async () => {
  const together = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (attempt) => {
      const givenBack: string[] = [];
      const runs = Array.from({ length: 16 }, () => runAt(attempt, givenBack));
      const admitted = await createSuspects({}).admit(runs);
      expect(givenBack).toEqual(Array.from({ length: 16 - admitted.length }, () => `s${attempt} for a while`));
      return admitted.length;
    }),
  );
  expect(together).toEqual([16, 16, 4, 2, 1, 1]);
});

test("a suspect of many attempts runs beside no other suspect, whichever came first; others run beside it", async () => {
  const givenBack: string[] = [];
  const suspects = createSuspects({});
  const fifth = runAt(5, givenBack, "fifth");
  expect(await suspects.admit([fifth, runAt(3, givenBack, "third"), runAt(1, givenBack)])).toHaveLength(2);
  suspects.end(fifth);
  const third = runAt(3, givenBack, "third");
  expect(await suspects.admit([third, fifth])).toEqual([third]);
  suspects.end(third);
  expect(await suspects.admit([fifth])).toEqual([fifth]);
  expect(givenBack).toEqual(["third for a while", "fifth for a while"]);
});

test("one that cannot be given back is told and does not run", async () => {
  const errors: unknown[] = [];
  const suspects = createSuspects({ onError: (error) => void errors.push(error) });
  const gone = new Error("gone");
  const runs = [runAt(5, []), { ...runAt(5, []), release: () => Promise.reject(gone) }];
  expect(await suspects.admit(runs)).toEqual([runs[0]]);
  expect(errors).toEqual([gone]);
});

test("one that cannot be counted, or is lost meanwhile, does not run and keeps no other from running", async () => {
  const errors: unknown[] = [];
  const suspects = createSuspects({ onError: (error) => void errors.push(error) });
  const away = new Error("away");
  expect(await suspects.admit([{ ...runAt(5, []), renew: () => Promise.reject(away) }])).toEqual([]);
  expect(await suspects.admit([{ ...runAt(5, []), renew: async () => "lost" }])).toEqual([]);
  const next = runAt(5, []);
  expect(await suspects.admit([next])).toEqual([next]);
  expect(errors).toEqual([away]);
});

test("no suspect starts before its attempt is counted", async () => {
  const counted = Promise.withResolvers<"held">();
  const run = { ...runAt(3, []), renew: () => counted.promise };
  const admitting = createSuspects({}).admit([run]);
  const first = await Promise.race([admitting, new Promise((resolve) => setImmediate(resolve, "not yet"))]);
  counted.resolve("held");
  expect([first, await admitting]).toEqual(["not yet", [run]]);
});
