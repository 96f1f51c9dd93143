import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { leadingSystem } from "./leading-system.ts";
import { listGroups } from "./list-groups.ts";
import { newContents } from "./new-contents.ts";
import { toParts } from "./to-parts.ts";

const text = (words: string): Block => ({ kind: "text", text: words });
const call: Block = { kind: "tool_call", id: "a", name: "look", input: { b: [2, { d: 1, c: 2 }], a: null } };
const result: Block = { kind: "tool_result", callId: "a", content: [text("one"), text("two")] as never, status: "ok" };
const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } };
const page: Block = { kind: "document", source: { kind: "url", url: "https://example.com" } };
const opaque: Block = { kind: "opaque", native: { provider: "anthropic", block: { type: "x" } } };
const shown = (role: "system" | "user" | "assistant", content: string | readonly Block[]) =>
  toParts(role, content, 3).map((part) => [part.role, part.stream, part.key, part.says]);

test("each block is compared by what no framework changes: ids, and words without their space", () => {
  expect(shown("user", " Hello \n there. ")).toEqual([["user", "text", "Hellothere.", ""]]);
  expect(shown("user", "e\u0301")).toEqual(shown("user", "\u00e9"));
  expect(shown("user", " \n")).toEqual([]);
  expect(shown("system", "Be brief.")).toEqual([["user", "system", "Bebrief.", ""]]);
  expect(shown("user", [image, page])).toEqual([
    ["user", "media", "AAAA", ""],
    ["user", "media", "https://example.com", ""],
  ]);
  expect(shown("user", [opaque])).toEqual([["user", "media", '{"type":"x"}', ""]]);
  expect(shown("assistant", [opaque])).toEqual([["assistant", "silent", "", ""]]);
});

test("calls are the model's and results are the user's, in whichever message they stand", () => {
  const wanted = [
    ["assistant", "call", "a", '{"a":null,"b":[2,{"c":2,"d":1}]}'],
    ["user", "result", "a", "one\ntwo"],
  ];
  expect(shown("assistant", [call, result])).toEqual(wanted);
  expect(shown("user", [call, result])).toEqual(wanted);
});

test("a list is divided where the other side begins to speak, and keeps the ids of its messages", () => {
  const list = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "One." },
    { role: "user", content: "Two." },
    { role: "assistant", content: [text("I look."), call, result], id: "r1" },
    { role: "assistant", content: "Done.", id: "r2" },
  ] as const;
  const groups = listGroups(list, 1);
  expect(groups.map(({ role, parts, ids }) => [role, parts.length, ...ids])).toEqual([
    ["user", 2],
    ["assistant", 2, "r1"],
    ["user", 1, "r1"],
    ["assistant", 1, "r2"],
  ]);
  expect(leadingSystem(list)).toEqual(["Be brief."]);
  expect(leadingSystem(list.slice(0, 1))).toEqual(["Be brief."]);
  expect(leadingSystem(list.slice(1))).toEqual([]);
  expect(leadingSystem([{ role: "system", content: [text("One."), image, text("Two.")] }])).toEqual(["One.\n\nTwo."]);
});

test("what is new is appended message by message: words, calls and results each by whom they are", () => {
  const parts = [
    ...toParts("user", [text("One."), image], 0),
    ...toParts("user", "Two.", 1),
    ...toParts("assistant", [text("I look."), call, result], 2),
    ...toParts("system", "Be brief.", 3),
    ...toParts("assistant", "Done.", 4),
  ];
  expect(newContents(parts, 10)).toEqual([
    { role: "user", origin: "human", blocks: [text("One."), image] },
    { role: "user", origin: "human", blocks: [text("Two.")] },
    { role: "assistant", origin: "model", blocks: [text("I look."), call], responseId: "synced-12" },
    { role: "user", origin: "tool", blocks: [result] },
    expect.objectContaining({ type: "system", blocks: [text("Be brief.")] }),
    { role: "assistant", origin: "model", blocks: [text("Done.")], responseId: "synced-15" },
  ]);
});
