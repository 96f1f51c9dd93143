import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UserMessage } from "../../policy/policy.ts";
import { userMessagesText } from "./floor.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);
const ask = (...texts: string[]): UserMessage[] => texts.map((text, index) => ({ entry: index * 10 + 1, text }));

describe("the user's messages", () => {
  test("stand there verbatim, in order, with their numbers", () => {
    const text = userMessagesText(ask("Do this.", "Then\nthat.", "Now."), { budgetTokens: 1_000, countTokens });
    expect(text).toBe("[1] Do this.\n\n[11] Then\nthat.\n\n[21] Now.");
    expect(userMessagesText([], { budgetTokens: 1_000, countTokens })).toBe("");
    expect(userMessagesText(ask("One."), { budgetTokens: 1_000, countTokens })).toBe("[1] One.");
  });

  test("that do not fit are named; corrections are kept before others, then the newest", () => {
    const messages = ask(
      "The task.",
      "x".repeat(90),
      "No, not that way.",
      "y".repeat(90),
      "z".repeat(90),
      "The newest.",
    );
    const text = userMessagesText(messages, { budgetTokens: 60, countTokens });
    expect(text.split("\n\n").map((part) => part.slice(0, 12))).toEqual([
      "[1] The task",
      "[21] No, not",
      "[41] zzzzzzz",
      "[51] The new",
      "[2 left out:",
    ]);
    expect(text).toContain("[2 left out: entries 11, 31]");
  });

  test("a correction has its place before newer messages, where only one of both fits", () => {
    const messages = ask("The task.", `No, not that way. ${"c".repeat(80)}`, "z".repeat(90), "The newest.");
    const text = userMessagesText(messages, { budgetTokens: 50, countTokens });
    expect(text).toContain("[11] No, not that way.");
    expect(text).toContain("[1 left out: entry 21]");
  });

  test("first and newest are cut in the middle if both do not fit, the longer one first", () => {
    const messages = ask(`begin ${"a".repeat(4_000)} end`, "Short and newest.");
    const text = userMessagesText(messages, { budgetTokens: 100, countTokens });
    expect(text).toMatch(
      /^\[1\] begin a+\n\[\.\.\. \d+ characters of entry 1 left out \.\.\.\]\na+ end\n\n\[11\] Short and newest\.$/,
    );
    expect(countTokens(text)).toBeGreaterThan(90);
    const [, head, left, tail] = text.match(/^\[1\] (.*)\n\[\.\.\. (\d+) .*\]\n(.*)$/m) ?? [];
    expect(Number(left)).toBe(messages[0]!.text.length - head!.length - tail!.length);
  });
});

test("a message is not cut where the note about the cut would be longer than what it leaves out", () => {
  const messages = ask("b".repeat(400), "c".repeat(140));
  const shownIn = (budgetTokens: number) => userMessagesText(messages, { budgetTokens, countTokens });
  for (let budgetTokens = 40; budgetTokens < 140; budgetTokens++) {
    const lengths = [...shownIn(budgetTokens).matchAll(/(\d+) characters left out/g)].map(([, left]) => Number(left));
    for (const left of lengths) expect(left).toBeGreaterThan(40);
  }
  expect(shownIn(90)).toContain("c".repeat(140));
});

test("the budget is never exceeded, nothing is told twice, and what fits is told as it was", () => {
  const anyText = fc.string({ unit: fc.constantFrom("a", "no ", "😀", "\n", " "), minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 12 }), fc.nat(300), (texts, budgetTokens) => {
      const messages = texts.map((text, index) => ({ entry: index + 1, text: `<${index}>${text}` }));
      const text = userMessagesText(messages, { budgetTokens, countTokens });
      expect(countTokens(text)).toBeLessThanOrEqual(budgetTokens);
      expect(text.isWellFormed()).toBe(true);
      for (const { text: said } of messages) expect(text.split(said).length - 1).toBeLessThanOrEqual(1);
      const whole = messages.map(({ entry, text: said }) => `[${entry}] ${said}`).join("\n\n");
      if (countTokens(whole) <= budgetTokens) expect(text).toBe(whole);
      if (text !== "") for (const end of [messages[0]!, messages.at(-1)!]) expect(text).toContain(`[${end.entry}] <`);
    }),
  );
});

test("a short task is whole, however long the newest message is and however small the budget", () => {
  const task = { entry: 2, text: "Rename the loader in src/load.ts, and touch nothing else." };
  const newest = { entry: 9, text: "all of it ".repeat(5_000) };
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  const text = userMessagesText([task, newest], { budgetTokens: 30, mostTokens: 400, countTokens });
  expect(text).toContain(task.text);
  expect(text).toContain("of entry 9 left out");
  expect(countTokens(text)).toBeLessThanOrEqual(400);
});
