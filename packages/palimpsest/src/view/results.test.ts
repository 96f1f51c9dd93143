import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { startCalibration } from "../size/calibration.ts";
import { createResultIndex } from "./results.ts";
import { createView, toItem } from "./view.ts";

test("skips a result of a call that the model did not make", () => {
  const call: Block = { kind: "tool_call", id: "a", name: "shell", input: {} };
  const result: Block = { kind: "tool_result", callId: "a", content: "x", status: "ok" };
  const view = createView(startCalibration());
  for (const [at, block] of [call, result].entries()) {
    view.items.push(toItem({ from: at + 1, to: at + 1, role: "user", origin: "tool", blocks: [block] }));
  }
  const index = createResultIndex();
  index.update(view);
  expect(index.calls).toEqual([]);
  expect(index.results.map((one) => one.call)).toEqual([undefined]);
});
