import { expect, test } from "vitest";
import { createTimers } from "./timers.ts";

test("a timer is pending until it rings or its signal is aborted, and keeps what was said of it", async () => {
  const timers = createTimers<{ atMs: number; name: string }>();
  const over = new AbortController();
  const rung: string[] = [];
  const first = timers.set({ atMs: 20, name: "first" }).then(() => rung.push("first"));
  const second = timers.set({ atMs: 10, name: "second" }, over.signal).then(() => rung.push("second"));
  expect(timers.pending().map(({ name, atMs }) => `${name} at ${atMs}`)).toEqual(["first at 20", "second at 10"]);
  over.abort();
  await second;
  expect(timers.pending().map(({ name }) => name)).toEqual(["first"]);
  timers.pending()[0]!.ring();
  await first;
  expect([timers.pending(), rung]).toEqual([[], ["second", "first"]]);
});
