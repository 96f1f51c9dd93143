import { expect, test } from "vitest";
import type { Block, Part } from "../../log/block.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { markEmpty, resultOf, textOf, withPreview, withText } from "./message-text.ts";

const text = (words: string) => ({ kind: "text", text: words }) as const;
const image = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } } as const;
const result = (content: string | readonly Part[]) =>
  ({ kind: "tool_result", callId: "a", content, status: "ok" }) as const;
const message = (...blocks: readonly Block[]): MessagePayload => ({ role: "user", origin: "tool", blocks });

test("a message with one result, and nothing else, is a result", () => {
  expect(resultOf(message(result("x")))).toEqual(result("x"));
  expect(resultOf(message(result("x"), text("y")))).toBeUndefined();
  expect(resultOf(message(text("y")))).toBeUndefined();
  expect(resultOf(message())).toBeUndefined();
});

test.each([
  [message(text("one"), image, text("two")), "one\ntwo"],
  [message(result("one")), "one"],
  [message(result([text("one"), image, text("two")])), "one\ntwo"],
  [message(image), ""],
])("the text of a message is that of its parts, each on its own line", (payload, wanted) => {
  expect(textOf(payload)).toBe(wanted);
});

test("an empty result says that it is empty; one with an image, and any other message, stays", () => {
  for (const empty of ["", " \n", [], [text(""), text(" ")]]) {
    expect(textOf(markEmpty(message(result(empty))))).toBe("(no output)");
  }
  for (const payload of [message(result("x")), message(result([image])), message(text(""))]) {
    expect(markEmpty(payload)).toBe(payload);
  }
});

test("a preview stands in place of the first text; the other texts go, and all else stays", () => {
  expect(withText([image, text("one"), image, text("two")], "short")).toEqual([image, text("short"), image]);
  expect(withText([image], "short")).toEqual([text("short"), image]);
  expect(withText([result("one")], "short")).toEqual([result("short")]);
  expect(withText([result([image, text("one")])], "short")).toEqual([result([image, text("short")])]);
  const stored = { file: "a.txt", bytes: 3, lines: 1, digest: "d" };
  expect(withPreview(message(text("one")), "short", stored)).toEqual({ ...message(text("short")), stored });
});
