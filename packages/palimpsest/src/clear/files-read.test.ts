import { expect, test } from "vitest";
import { startCalibration } from "../size/calibration.ts";
import { createResultIndex } from "../view/results.ts";
import { createView, toItem } from "../view/view.ts";

import { filesRead } from "./results.ts";

interface Round {
  readonly path: string;
  readonly tool?: string;
  readonly status?: "ok" | "error";
  readonly by?: number;
  readonly stored?: true;
}

/** Which files are read; round n is the call in entry 2n and its result in entry 2n + 1. */
function read(rounds: readonly Round[], more: object = {}) {
  const view = createView(startCalibration());
  rounds.forEach(({ path, tool = "Read", status = "ok", by, stored }, index) => {
    const [at, id] = [2 * index + 2, `call-${index}`];
    const call = { kind: "tool_call", id, name: tool, input: { file_path: path } } as const;
    const result = { kind: "tool_result", callId: id, content: "text", status } as const;
    view.items.push(toItem({ from: at, to: at, role: "assistant", blocks: [call], origin: "model" }));
    const file = stored && { stored: { file: "a.txt", bytes: 1, lines: 1, digest: "a" } };
    const how = by === undefined ? { ...file } : { by };
    view.items.push(toItem({ from: at + 1, to: at + 1, role: "user", blocks: [result], origin: "tool", ...how }));
  });
  const index = createResultIndex();
  index.update(view);
  return Object.fromEntries(filesRead(index, { leftOut: undefined, deleted: [], ...more } as never));
}

test("a file is read where its newest read is whole, under the entry of that read", () => {
  expect(read([{ path: "a.ts" }, { path: "b.ts" }, { path: "a.ts" }])).toEqual({ "a.ts": 7, "b.ts": 5 });
  expect(read([{ path: "a.ts" }, { path: "a.ts", status: "error" }])).toEqual({ "a.ts": 3 });
  expect(read([{ path: "a.ts", status: "error" }])).toEqual({});
  expect(read([{ path: "a.ts", tool: "Edit" }])).toEqual({});
});

test("a newest read that was cleared, stored or deleted is none, even if an older one is whole", () => {
  expect(read([{ path: "a.ts" }, { path: "a.ts", by: 99 }])).toEqual({});
  expect(read([{ path: "a.ts" }, { path: "a.ts", stored: true }])).toEqual({});
  expect(read([{ path: "a.ts" }, { path: "b.ts" }], { deleted: [{ entry: 3 }] })).toEqual({ "b.ts": 5 });
});
