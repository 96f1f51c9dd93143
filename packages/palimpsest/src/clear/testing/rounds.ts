// A view for tests: rounds of one call and its result.

import { startCalibration } from "../../size/calibration.ts";
import { foldEntry } from "../../view/fold.ts";
import { createView, type View } from "../../view/view.ts";
import { createResultIndex, type ResultIndex } from "../clear.ts";

export interface TestRound {
  readonly tool?: string;
  readonly status?: "ok" | "error";
  readonly id?: string;
  readonly path?: string;
}

export interface RoundsView {
  readonly view: View;
  readonly index: ResultIndex;
}

/** Entries 1 and 2 are the first call and its result, 3 and 4 the second, and so on. Each result has about 250 tokens. */
export function viewOfRounds(rounds: readonly TestRound[]): RoundsView {
  const view = createView(startCalibration());
  rounds.forEach(({ tool = "Read", status = "ok", id, path }, position) => {
    const callId = id ?? `c${position}`;
    const input = { file_path: path ?? `${position}.ts` };
    const call = { kind: "tool_call", id: callId, name: tool, input } as const;
    const result = { kind: "tool_result", callId, content: "content ".repeat(125), status } as const;
    const [sequence, next] = [2 * position + 1, 2 * position + 2];
    foldEntry(view, {
      kind: "message",
      sequence,
      payload: { role: "assistant", origin: "model", blocks: [call] },
    });
    foldEntry(view, { kind: "message", sequence: next, payload: { role: "user", origin: "tool", blocks: [result] } });
  });
  const index = createResultIndex();
  index.update(view);
  return { view, index };
}

export const readRounds = (count: number): readonly TestRound[] => Array.from({ length: count }, () => ({}));
