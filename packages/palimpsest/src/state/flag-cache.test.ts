import { describe, expect, test } from "vitest";
import type { NewEvent } from "../session-event.ts";
import type { FlagDetails } from "../settings/flags.ts";
import { FlagCache } from "./settings.ts";

type Answer = () => Promise<FlagDetails<never>>;

/** A service whose answer for the number of kept results can be changed; its other flags do not exist. */
function begin() {
  let nowMs = 0;
  let late: (() => void) | undefined;
  let answer: Answer = async () => ({ value: 7 as never });
  const emitted: NewEvent[] = [];
  const absent = async <Value>(_: string, value: Value) => ({ value });
  const memory = new FlagCache({
    client: {
      getStringDetails: absent,
      getNumberDetails: (flag, value) => (flag.endsWith("clearing.keepNewest") ? answer() : absent(flag, value)),
      getObjectDetails: absent,
    },
    deadlineMs: 100,
    clock: {
      now: () => nowMs,
      wait: (ms) =>
        new Promise((resolve) => {
          late = resolve;
          if (ms === 0) resolve();
        }),
    },
    emit: (newEvent) => emitted.push(newEvent),
  });
  return {
    memory,
    told: emitted,
    setAnswer: (next: Answer) => (answer = next),
    advance: (ms: number) => (nowMs += ms),
    runOut: () => late?.(),
  };
}

const fails: Answer = async () => ({ value: 0 as never, errorCode: "GENERAL", errorMessage: "503" });

describe("flags", () => {
  test("hold while their service fails; its failing is told once, and so is its working again", async () => {
    const { memory, told: emitted, setAnswer, advance } = begin();
    expect((await memory.read()).values).toEqual({ "clearing.keepNewest": 7 });
    setAnswer(fails);
    for (let turn = 0; turn < 3; turn++) {
      expect((await memory.read()).values).toEqual({ "clearing.keepNewest": 7 });
      advance(1_000);
    }
    expect(emitted).toEqual([{ kind: "flags-failed", because: "GENERAL: 503", held: 1 }]);
    setAnswer(async () => ({ value: 9 as never }));
    expect((await memory.read()).values).toEqual({ "clearing.keepNewest": 9 });
    expect(emitted.slice(1)).toEqual([{ kind: "flags-recovered", afterMs: 3_000 }]);
    setAnswer(fails);
    await memory.read();
    expect(emitted).toHaveLength(3);
  });

  test("that are taken away do not hold", async () => {
    const { memory, setAnswer } = begin();
    await memory.read();
    setAnswer(async () => ({ value: 0 as never, errorCode: "FLAG_NOT_FOUND" }));
    expect((await memory.read()).values).toEqual({});
  });

  test("of another type than their setting are told and do not hold", async () => {
    const { memory, setAnswer } = begin();
    setAnswer(async () => ({ value: 0 as never, errorCode: "TYPE_MISMATCH" }));
    const { values, problems } = await memory.read();
    expect(values).toEqual({});
    expect(problems).toMatchObject([{ source: "flags", name: "clearing.keepNewest" }]);
    expect(problems[0]!.message).toContain('"palimpsest.clearing.keepNewest"');
  });

  test("that come too late are waited for once; the next turn takes what has come since", async () => {
    const { memory, told: emitted, setAnswer, runOut, advance } = begin();
    await memory.read();
    const answered = Promise.withResolvers<FlagDetails<never>>();
    setAnswer(() => answered.promise);
    const reading = memory.read();
    advance(100);
    runOut();
    expect((await reading).values).toEqual({ "clearing.keepNewest": 7 });
    expect(emitted).toEqual([{ kind: "flags-failed", because: "no answer within 100 ms", held: 1 }]);
    // Nothing is waited for: the time of this question is up.
    expect((await memory.read()).values).toEqual({ "clearing.keepNewest": 7 });
    answered.resolve({ value: 8 as never });
    await new Promise(setImmediate);
    expect((await memory.read()).values).toEqual({ "clearing.keepNewest": 8 });
    expect(emitted.at(-1)).toMatchObject({ kind: "flags-recovered" });
  });

  test("are asked for again when a question was never answered", async () => {
    const { memory, setAnswer, runOut, advance } = begin();
    setAnswer(() => new Promise(() => {}));
    const reading = memory.read();
    advance(100);
    runOut();
    expect((await reading).values).toEqual({});
    setAnswer(async () => ({ value: 5 as never }));
    advance(60_001);
    expect((await memory.read()).values).toEqual({ "clearing.keepNewest": 5 });
  });
});
