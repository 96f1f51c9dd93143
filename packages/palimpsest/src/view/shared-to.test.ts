import { expect, test } from "vitest";
import { startCalibration } from "../size/calibration.ts";
import { foldEntry } from "./fold.ts";
import { createView, sharedTo, type View } from "./view.ts";

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
])("two views share %s", (_, left, right, shared) => {
  expect(sharedTo(left, right)).toBe(shared);
  expect(sharedTo(right, left)).toBe(shared);
});
