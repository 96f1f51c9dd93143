import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Database } from "../database.ts";
import { createNotifier } from "./notifier.ts";

test("news that comes while other news is sent goes out together, each of it once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    const sent: (readonly string[])[] = [];
    const call = async (_: string, [, payloads]: readonly (readonly string[])[]) => void sent.push(payloads!);
    const notifier = createNotifier({ call } as unknown as Database);
    notifier.ring("work", "first");
    for (let count = 0; count < 100; count++) notifier.ring("work", `session ${count % 3}`);
    await setImmediate();
    expect(sent).toEqual([["first"]]);
    await vi.runAllTimersAsync();
    expect(sent).toEqual([["first"], ["session 0", "session 1", "session 2"]]);
    notifier.ring("work", "later");
    await setImmediate();
    expect(sent.at(-1)).toEqual(["later"]);
  } finally {
    vi.useRealTimers();
  }
});
