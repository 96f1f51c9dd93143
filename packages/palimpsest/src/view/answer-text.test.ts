import { expect, test } from "vitest";
import { answerText } from "./turn.ts";
import type { Item } from "./view.ts";

const model = (text: string, responseId = text) => ({
  kind: "message",
  role: "assistant",
  origin: "model",
  responseId,
  blocks: [{ kind: "text", text }],
});
const said = { kind: "message", role: "user", origin: "human", blocks: [{ kind: "text", text: "Go." }] };
const cutOff = { ...said, origin: "host", attachment: "cut-off" };
const seal = { kind: "seal" };
const textOf = (...items: object[]) => answerText(items as unknown as readonly Item[]);

test("the newest answer, with the parts of it that were cut", () => {
  expect(textOf()).toBe("");
  expect(textOf(said, seal, model("Yes."))).toBe("Yes.");
  expect(textOf(said, seal, model("One. "), said, seal, model("Two."))).toBe("Two.");
  expect(textOf(said, seal, model("One, "), cutOff, seal, model("two, "), cutOff, seal, model("three."))).toBe(
    "One, two, three.",
  );
  expect(textOf(said, seal, model("Half, ", "r"), said, model("whole.", "r"), said)).toBe("Half, whole.");
});

test("a request without an answer has none", () => {
  expect(textOf(said, seal, model("Yes."), said, seal)).toBe("");
});
