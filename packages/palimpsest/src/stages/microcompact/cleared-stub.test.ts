import { expect, test } from "vitest";
import { clearedStub, stubText } from "./cleared-stub.ts";
import type { ShownResult } from "./result-index.ts";

const result = (input: unknown): ShownResult => ({
  entry: 7,
  call: { kind: "tool_call", id: "a", name: "look", input },
  callId: "a",
  status: "error",
  characters: 5_000,
  state: "whole",
  tokens: 1_000,
  beforeTokens: 0,
});

test("a stub says which result it was, how large, and how to see it again", () => {
  const text = stubText(result({ at: "tree" }), "offered");
  expect(text).toContain('result of look {"at":"tree"}, 5000 characters. Recall entry 7');
  expect(stubText(result({}), "missing")).toMatch(/Call the tool again/);
  expect(stubText(result({}), "missing")).not.toMatch(/recall/i);
  expect(stubText({ ...result({}), call: undefined }, "offered")).toContain("result of a tool {}");
});

test("a long input is cut, and never within a character", () => {
  const whole = "x".repeat(118);
  expect(stubText(result(whole), "offered")).toContain(`"${whole}",`);
  expect(stubText(result(`${whole}y`), "offered")).toContain(`"${whole}y...,`);
  expect(stubText(result(`${"x".repeat(118)}🙂`), "offered").isWellFormed()).toBe(true);
});

test("it answers the same call in the same state, in the name of the tool", () => {
  const stub = clearedStub(result({}), "offered");
  expect(stub).toMatchObject({ role: "user", origin: "tool", provenance: { kind: "tool", name: "look" } });
  expect(stub.blocks).toMatchObject([{ kind: "tool_result", callId: "a", status: "error" }]);
});
