import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createEventChannel } from "./query.ts";

test("yields events during the work, then returns its result", async () => {
  const { emit, during } = createEventChannel<string>(() => expect.fail("nobody left"));
  emit("before");
  const seen: string[] = [];
  const turn = during(
    (async () => {
      emit("at once");
      await sleep(5);
      emit("later");
      return "result";
    })(),
  );
  for (;;) {
    const next = await turn.next();
    if (next.done === true) expect(next.value).toBe("result");
    if (next.done === true) break;
    seen.push(next.value);
  }
  expect(seen).toEqual(["before", "at once", "later"]);
});

test("throws the error of failed work after its events", async () => {
  const { emit, during } = createEventChannel<string>(() => undefined);
  const fails = async () => {
    emit("one");
    throw new Error("no");
  };
  const turn = during(fails());
  expect(await turn.next()).toEqual({ done: false, value: "one" });
  await expect(turn.next()).rejects.toThrow("no");
});

test("ends the work and waits for it if the consumer stops early", async () => {
  const stop = new AbortController();
  const { emit, during } = createEventChannel<string>(() => stop.abort());
  let ended = "not yet";
  const work = async () => {
    emit("one");
    await sleep(60_000, undefined, { signal: stop.signal }).catch(() => undefined);
    await sleep(5);
    ended = "ended";
  };
  for await (const _ of during(work())) break;
  expect(ended).toBe("ended");
});
