import { memoryStore } from "palimpsest";
import { expect, test } from "vitest";
import { collectOldResults } from "./recall-extension.ts";

const DAY_MS = 86_400_000;

async function collect(ageDays: number, settings: Readonly<Record<string, number>>, failure?: Error) {
  let nowMs = 1_800_000_000_000;
  const store = memoryStore({ clock: { now: () => nowMs } });
  const draft = await store.results.create("old");
  await draft.write(new Uint8Array(5_000));
  await draft.keep("txt");
  nowMs += ageDays * DAY_MS;
  const emitted: unknown[] = [];
  const session = {
    settings: () => ({ settings }) as never,
    events: { emit: (newEvent: unknown) => void emitted.push(newEvent) } as never,
  };
  const results = failure === undefined ? store.results : { ...store.results, remove: () => Promise.reject(failure) };
  const collecting = collectOldResults({ store: { ...store, results }, session, clock: { now: () => nowMs } });
  collecting.begin();
  collecting.begin();
  await collecting.close();
  return { told: emitted, left: await Array.fromAsync(store.results.sessions()) };
}

const KEPT = { "toolResults.keptDays": 30, "toolResults.keptMegabytes": 10_000 };

test("removes results of old sessions, and emits an event", async () => {
  expect(await collect(31, KEPT)).toEqual({
    told: [{ kind: "results-collected", sessions: 1, bytes: 5_000, failures: 0 }],
    left: [],
  });
});

test("uses the age from the settings, and emits no event if nothing was removed", async () => {
  expect(await collect(29, KEPT)).toEqual({ told: [], left: ["old"] });
  expect((await collect(3, { ...KEPT, "toolResults.keptDays": 2 })).left).toEqual([]);
  expect((await collect(3, { ...KEPT, "toolResults.keptMegabytes": 0.001 })).left).toEqual([]);
});

test("emits an event with the reason if a result cannot be removed", async () => {
  const { told: emitted, left } = await collect(31, KEPT, new Error("EACCES"));
  expect(emitted).toEqual([{ kind: "results-collected", sessions: 0, bytes: 0, failures: 1, error: "EACCES" }]);
  expect(left).toEqual(["old"]);
});
