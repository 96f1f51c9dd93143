import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { toParts } from "./conversation.ts";

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
