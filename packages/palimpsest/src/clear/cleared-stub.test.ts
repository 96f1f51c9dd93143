import { expect, test } from "vitest";
import type { ShownResult } from "../view/results.ts";
import { stubText } from "./plan.ts";

test("a long input is cut, and never within a character", () => {
  const textOf = (input: string): string => {
    const call = { kind: "tool_call", id: "a", name: "look", input } as const;
    return stubText({ entry: 7, call, characters: 5_000 } as ShownResult, "offered");
  };
  const whole = "x".repeat(118);
  expect(textOf(whole)).toContain(`"${whole}",`);
  expect(textOf(`${whole}y`)).toContain(`"${whole}y...,`);
  expect(textOf(`${whole}🙂`).isWellFormed()).toBe(true);
});
