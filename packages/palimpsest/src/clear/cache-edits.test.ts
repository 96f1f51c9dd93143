import { describe, expect, test } from "vitest";
import { startCalibration } from "../size/calibration.ts";
import { foldEntry } from "../view/fold.ts";
import { createResultIndex } from "../view/results.ts";
import { createView } from "../view/view.ts";
import { type DeletionSituation, planDeletions } from "./edits.ts";

/** Entries 1 and 2 are the first call and its result, 3 and 4 the second, ... */
function indexOf(
  results: readonly {
    readonly tool?: string;
    readonly status?: "ok" | "error";
    readonly id?: string;
  }[],
) {
  const view = createView(startCalibration());
  results.forEach(({ tool = "Read", status = "ok", id }, position) => {
    const callId = id ?? `c${position}`;
    const call = { kind: "tool_call", id: callId, name: tool, input: { file_path: `${position}.ts` } } as const;
    const result = { kind: "tool_result", callId, content: "content", status } as const;
    const [sequence, next] = [2 * position + 1, 2 * position + 2];
    const said = { role: "assistant", origin: "model", blocks: [call] } as const;
    const came = { role: "user", origin: "tool", blocks: [result] } as const;
    foldEntry(view, { kind: "message", sequence, payload: said });
    foldEntry(view, { kind: "message", sequence: next, payload: came });
  });
  const index = createResultIndex();
  index.update(view);
  return index;
}

const reads = (count: number) => Array.from({ length: count }, () => ({}));
const plan = (results: Parameters<typeof indexOf>[0], more: Partial<DeletionSituation> = {}) =>
  planDeletions(
    {
      index: indexOf(results),
      eligibility: { isClearable: (tool) => tool !== "AskUser" },
      deleted: [],
      cache: "warm",
      cachedTo: 1_000,
      ...more,
    },
    { leastResults: 12, keepNewest: 5 },
  ).map(({ entry }) => entry);
const pinned = [2, 4].map((entry) => ({ entry, callId: `c${entry / 2 - 1}` }));

describe("what is deleted from the cached prompt", () => {
  test("the oldest beyond the newest five, once there are twelve", () => {
    expect(plan(reads(11))).toEqual([]);
    expect(plan(reads(12))).toEqual([2, 4, 6, 8, 10, 12, 14]);
  });

  test("stays deleted with every request, and does not count for the next deletion", () => {
    expect(plan(reads(13), { deleted: pinned })).toEqual([2, 4]);
    expect(plan(reads(14), { deleted: pinned })).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18]);
  });

  test.each(["cold", "none"] as const)("nothing where the cache is %s: what was deleted is forgotten", (cache) => {
    expect(plan(reads(20), { cache, deleted: pinned })).toEqual([]);
  });

  test("no errors, no answers of the user, nothing that is not cached, no id that was given twice", () => {
    const some = [{ status: "error" }, { tool: "AskUser" }, { id: "twice" }, { id: "twice" }, ...reads(14)] as const;
    expect(plan(some, { cachedTo: 13 })).toEqual([10, 12]);
  });
});
