import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { withTimers } from "./clock.ts";

test("a wait ends as soon as its signal is aborted, or at once if it was before", async () => {
  const { wait } = withTimers({ now: () => 0 });
  const aborting = new AbortController();
  let state = "waiting";
  void wait(60_000, aborting.signal, "free").then(() => (state = "over"));
  await setImmediate();
  expect(state).toBe("waiting");
  aborting.abort();
  await setImmediate();
  expect(state).toBe("over");
  await wait(60_000, aborting.signal, "free");
});
