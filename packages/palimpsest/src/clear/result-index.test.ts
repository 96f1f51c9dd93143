import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { HOST, type Provenance } from "../log/provenance.ts";
import { startCalibration } from "../size/calibration.ts";
import { createView, toItem } from "../view/view.ts";
import { createResultIndex } from "./clear.ts";

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

test("lists recalled memories with their size and attachment, and neither the head nor other attachments", () => {
  const view = createView(startCalibration());
  const provenance = { kind: "memory", name: "use-pnpm" } as const;
  const memory = { type: "memory", provenance } as const;
  const attach = (at: number, attachment: string, provenance: Provenance, by?: number) =>
    view.items.push(
      toItem({
        from: at,
        to: at,
        by,
        role: "user",
        origin: "host",
        attachment,
        provenance,
        blocks: [{ kind: "text", text: "Use pnpm." }],
      }),
    );
  attach(1, "head", HOST);
  attach(2, "memory", provenance);
  attach(3, "file", { kind: "outside", name: "a.ts" });
  attach(4, "memory", provenance, 9);
  const index = createResultIndex();
  index.update(view);
  expect(index.results).toMatchObject([
    { sort: "memory", entry: 2, call: undefined, callId: "", attachment: memory, characters: 9, state: "whole" },
    { sort: "memory", entry: 4, state: "replaced" },
  ]);
  expect(index.results[0]!.tokens).toBeGreaterThan(0);
  expect(index.results[0]!.beforeTokens).toBeGreaterThan(0);
});
