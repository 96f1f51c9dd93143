import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { Provenance } from "../log/provenance.ts";
import { toItem } from "./view.ts";

const page: Provenance = { kind: "tool", name: "browser" };
const text = (provenance?: Provenance): Block => ({
  kind: "text",
  text: "All is well.",
  ...(provenance === undefined ? {} : { provenance }),
});
const sizeOf = (role: "user" | "assistant", block: Block, provenance?: Provenance): unknown =>
  toItem({ from: 1, to: 1, role, blocks: [block], origin: "tool", ...(provenance === undefined ? {} : { provenance }) })
    .features;

test("the marks around text of others are counted, in what the user sends and nowhere else", () => {
  const plain = sizeOf("user", text());
  const marked = sizeOf("user", text(), page);
  expect(marked).not.toEqual(plain);
  expect(sizeOf("user", text(page))).toEqual(marked);
  expect(sizeOf("assistant", text(page))).toEqual(plain);
  expect(sizeOf("assistant", text(), page)).toEqual(plain);
});
