import { SETTINGS } from "palimpsest";
import { expect, test } from "vitest";
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

test("Enter and yes turn automatic memory on, no keeps it as it is, and other words are asked again", async () => {
  for (const yes of ["", "y", "Yes"]) expect((await answered(yes)).memory).toBe("on");
  for (const no of ["n", "NO"]) expect((await answered(no)).memory).toBe("read");
  const { memory, asked } = await answered("what?", "n");
  expect({ memory, times: asked.length }).toEqual({ memory: "read", times: 2 });
});

test("a person who leaves has answered nothing", async () => {
  expect((await answered(undefined)).memory).toBeUndefined();
});

test("the question has two lines that fit a small terminal", async () => {
  const [question] = (await answered("")).asked;
  const lines = question!.split("\n");
  expect(lines.map((line) => line.length <= 80)).toEqual([true, true]);
});

test("the question names what the memory costs at most, as the defaults have it", async () => {
  const [question] = (await answered("")).asked;
  expect(question).toContain(`up to ${SETTINGS["memory.extractionPercent"].default}% of a session`);
  expect(question).toContain(`${SETTINGS["dream.rounds"].default} model calls a day`);
  expect(SETTINGS["dream.hours"].default).toBe(24);
});
