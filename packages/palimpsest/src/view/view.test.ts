import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { Provenance } from "../log/provenance.ts";
import { startCalibration } from "../size/calibration.ts";
import { foldEntry } from "./fold.ts";
import { messageItem } from "./items.ts";
import { createView, outline, sharedTo, toItem, type View } from "./view.ts";

const page: Provenance = { kind: "tool", name: "browser" };
const text = (provenance?: Provenance): Block => ({
  kind: "text",
  text: "All is well.",
  ...(provenance === undefined ? {} : { provenance }),
});
const sizeOf = (role: "user" | "assistant", block: Block, provenance?: Provenance): unknown =>
  toItem({ from: 1, to: 1, role, blocks: [block], origin: "tool", ...(provenance === undefined ? {} : { provenance }) })
    .features;

test("counts the tags around text from other sources, in user messages only", () => {
  const plain = sizeOf("user", text());
  const marked = sizeOf("user", text(), page);
  expect(marked).not.toEqual(plain);
  expect(sizeOf("user", text(page))).toEqual(marked);
  expect(sizeOf("assistant", text(page))).toEqual(plain);
  expect(sizeOf("assistant", text(), page)).toEqual(plain);
});

const said = (at: number) =>
  messageItem(at, { role: "user", origin: "human", blocks: [{ kind: "text", text: `${at}` }] });

test("outline is the same for a view that was read from an outline: a break at the start of a range does not split it", () => {
  const runs = [
    { from: 2, to: 4 },
    { from: 8, to: 9 },
  ];
  const view = createView(startCalibration());
  view.items.push(...[2, 3, 4, 8, 9].map(said));
  view.breaks = runs.flatMap(({ from, to }) => [from, to + 1]);
  expect(outline(view)).toEqual(runs);
});

function viewOf(...entries: readonly (number | { readonly replaced: number })[]): View {
  const view = createView(startCalibration());
  for (const entry of entries) {
    if (typeof entry === "number") {
      const blocks = [{ kind: "text", text: `${entry}` }] as const;
      foldEntry(view, { kind: "message", sequence: entry, payload: { role: "user", blocks, origin: "human" } });
    } else {
      const payload = { from: entry.replaced, to: entry.replaced, reason: "test" };
      const stub = { role: "user", blocks: [], origin: "host" } as const;
      foldEntry(view, { kind: "replace", sequence: 90, payload: { ...payload, with: [stub] } });
    }
  }
  return view;
}

test.each([
  ["nothing", viewOf(1, 2), viewOf(), 0],
  ["a beginning", viewOf(1, 2, 3), viewOf(1, 2), 2],
  ["a fork", viewOf(1, 2, 3), viewOf(1, 2, 7, 8), 2],
  ["all", viewOf(1, 2), viewOf(1, 2), 2],
  ["what comes before a decision", viewOf(1, 2, 3), viewOf(1, 2, 3, { replaced: 2 }), 1],
])("sharedTo of two views with %s in common", (_, left, right, shared) => {
  expect(sharedTo(left, right)).toBe(shared);
  expect(sharedTo(right, left)).toBe(shared);
});
