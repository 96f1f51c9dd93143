import { expect, test } from "vitest";
import { MEMORY_LIMITS } from "../extensions/memory/memory-limits.ts";
import { askForMemory } from "./ask-memory.ts";

async function answered(...answers: readonly (string | undefined)[]) {
  const waiting = [...answers];
  const asked: string[] = [];
  const ask = async (question: string): Promise<string | undefined> => {
    asked.push(question);
    if (waiting.length === 0) throw new Error("nobody answers");
    return waiting.shift();
  };
  return { memory: await askForMemory({ ask }), asked };
}

test("Enter and yes turn automatic memory on, no leaves it off, and other words repeat the question", async () => {
  for (const yes of ["", "y", "Yes"]) expect((await answered(yes)).memory).toBe("on");
  for (const no of ["n", "NO"]) expect((await answered(no)).memory).toBe("read");
  const { memory, asked } = await answered("what?", "n");
  expect({ memory, times: asked.length }).toEqual({ memory: "read", times: 2 });
});

test("a person who leaves gives no answer", async () => {
  expect((await answered(undefined)).memory).toBeUndefined();
});

test("the question fits a small terminal in two lines", async () => {
  const [question] = (await answered("")).asked;
  const lines = question!.split("\n");
  expect(lines.map((line) => line.length <= 80)).toEqual([true, true]);
});

test("the question states the maximum cost from the limits", async () => {
  const [question] = (await answered("")).asked;
  expect(question).toContain("up to 3% of a session");
  expect(question).toContain("40 model calls a day");
  expect(MEMORY_LIMITS).toMatchObject({ extractionCostPercent: 3, dreamRounds: 40, dreamWaitHours: 24 });
});
