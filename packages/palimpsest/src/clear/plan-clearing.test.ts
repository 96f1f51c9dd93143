import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { USUAL_COSTS } from "../cost/prices.ts";
import type { Block, ToolResult } from "../log/block.ts";
import { startCalibration } from "../size/calibration.ts";
import { createResultIndex } from "../view/results.ts";
import { createView, toItem, type View } from "../view/view.ts";

import { type ClearingParameters, type ClearingSituation, planClearing } from "./plan.ts";
import { type Eligibility, eligibleResults } from "./results.ts";

const PAYBACK: ClearingParameters = { policy: "payback", keepNewest: 3, paybackRequests: 20, minimumTokens: 10_000 };
const FIXED: ClearingParameters = {
  policy: "fixed",
  keepNewestCold: 5,
  keepNewestLarge: 3,
  targetTokens: 40_000,
  minimumTokens: 20_000,
};
const ELIGIBILITY: Eligibility = { isClearable: (tool) => tool !== "ask" };

interface Round {
  readonly tool?: string;
  readonly input?: unknown;
  readonly words?: number;
  readonly status?: ToolResult["status"];
  readonly cleared?: boolean;
  /** Its preview stands in the view. */
  readonly stored?: boolean;
  /** A request ended behind it. */
  readonly ends?: "request";
}

/** A view of rounds of one call each: entry 2n is the call, entry 2n + 1 its result. */
function viewOf(rounds: readonly Round[]): View {
  const view = createView(startCalibration());
  rounds.forEach(({ tool = "shell", input = {}, words = 4_000, status = "ok", cleared, stored, ends }, index) => {
    const at = 2 * index + 2;
    const id = `call-${index}`;
    const call: Block = { kind: "tool_call", id, name: tool, input };
    const result: Block = { kind: "tool_result", callId: id, content: `word${index} `.repeat(words), status };
    view.items.push(toItem({ from: at, to: at, role: "assistant", blocks: [call], origin: "model" }));
    const file = stored === true ? { stored: { file: "a.txt", bytes: 1, lines: 1, digest: "a" } } : {};
    const by = cleared === true ? { by: 999 } : file;
    view.items.push(toItem({ from: at + 1, to: at + 1, role: "user", blocks: [result], origin: "tool", ...by }));
    if (ends === "request") view.items.push({ kind: "seal", from: at + 1, to: at + 1, maxTokens: 1_000 });
  });
  return view;
}

function plan(rounds: readonly Round[], parameters: ClearingParameters, more: Partial<ClearingSituation> = {}) {
  const index = createResultIndex();
  index.update(viewOf(rounds));
  const situation: ClearingSituation = {
    index,
    eligibility: ELIGIBILITY,
    cache: "warm",
    turn: "closed",
    thinking: "free",
    ways: { byTime: "on", bySize: "on" },
    sizeTokens: index.totalTokens,
    warningTokens: 0,
    costs: USUAL_COSTS,
    recall: "offered",
    ...more,
  };
  return planClearing(situation, parameters);
}
const clearedRounds = (planned: ReturnType<typeof plan>): number[] =>
  (planned?.decisions ?? []).map(({ from }) => (from - 3) / 2);
const rounds = (count: number, round: Round = {}): Round[] => Array.from({ length: count }, () => round);

describe("what is cleared", () => {
  test("cold: everything stale but the newest, for nothing", () => {
    const planned = plan(rounds(6), PAYBACK, { cache: "cold" });
    expect(clearedRounds(planned)).toEqual([0, 1, 2]);
    expect(planned?.way).toBe("by-time");
    expect(planned?.cost.invalidatedPrefixTokens).toBe(0);
    expect(clearedRounds(plan(rounds(6), FIXED, { cache: "cold" }))).toEqual([0]);
  });

  test("cold: what is cleared is not written, and that is what it saves", () => {
    const costs = { read: 0.1, write: 1.25, usdPerUnit: 0.000005 };
    const { cost } = plan(rounds(6), PAYBACK, { cache: "cold", costs })!;
    expect(cost.netUsd).toBeCloseTo(-cost.shedTokens * 1.25 * 0.000005, 12);
  });

  test("warm: only when what it sheds earns back what it rewrites", () => {
    expect(plan(rounds(4), PAYBACK)).toBeUndefined();
    const planned = plan(rounds(20), PAYBACK);
    expect(planned?.way).toBe("payback");
    expect(planned!.cost.shedTokens).toBeGreaterThan(10_000);
    const dear = { read: 0.001, write: 100 };
    expect(plan(rounds(20), PAYBACK, { costs: dear })).toBeUndefined();
  });

  test("warm: it begins behind a mark where that pays, leaving alone what would have all behind the head rewritten", () => {
    const quiet = rounds(3, { words: 300 });
    const kept = rounds(30, { tool: "ask" });
    const busy = rounds(12);
    const marked = [...quiet, ...kept.slice(1), { tool: "ask", ends: "request" } as const, ...busy];
    const planned = plan(marked, PAYBACK);
    expect(clearedRounds(planned)[0]).toBe(33);
    const index = createResultIndex();
    index.update(viewOf(marked));
    const { shedTokens, invalidatedPrefixTokens } = planned!.cost;
    expect(invalidatedPrefixTokens).toBe(index.totalTokens - index.markedTokens[0]! - shedTokens);
    // Without a mark behind what is kept, all of that would be written once more.
    expect(plan([...quiet, ...kept, ...busy], PAYBACK)).toBeUndefined();
  });

  test("warm: the marks are those of the two newest requests", () => {
    const sent = { ends: "request" } as const;
    const whole = rounds(20);
    const [two, three] = [
      [...whole, sent, sent],
      [...whole, sent, sent, sent],
    ].map((list) => plan([...list, ...rounds(3)], PAYBACK)!);
    // The first result is cleared, and no mark stands before it: all but what is shed is written.
    for (const planned of [two, three]) {
      expect(clearedRounds(planned)[0]).toBe(0);
      expect(planned!.cost.invalidatedPrefixTokens).toBeGreaterThan(3 * 4_000);
    }
    const index = createResultIndex();
    index.update(viewOf([...whole, sent, sent, sent]));
    expect(index.markedTokens).toHaveLength(2);
    expect(index.markedTokens.at(-1)).toBe(index.totalTokens);
  });

  test("large: the oldest, until the target remains", () => {
    const planned = plan(rounds(20), FIXED);
    expect(planned?.way).toBe("by-size");
    expect(clearedRounds(planned)[0]).toBe(0);
    expect(clearedRounds(planned).length).toBeLessThan(17);
    expect(plan(rounds(20), FIXED, { warningTokens: 1_000_000 })).toBeUndefined();
    expect(plan(rounds(20), FIXED, { ways: { byTime: "on", bySize: "off" } })).toBeUndefined();
  });

  test("never inside a turn whose thinking is bound", () => {
    expect(plan(rounds(20), PAYBACK, { cache: "cold", turn: "open", thinking: "bound" })).toBeUndefined();
    expect(plan(rounds(20), PAYBACK, { cache: "cold", turn: "open", thinking: "free" })).toBeDefined();
  });

  test("a model without recall is told to call the tool again", () => {
    const planned = plan(rounds(6), PAYBACK, { cache: "cold", recall: "missing" });
    const [block] = planned!.decisions[0]!.with[0]!.blocks;
    expect((block as ToolResult).content).toMatch(/characters\. Call the tool again if you need it\.\]$/);
  });

  test("the stub names tool, input, size and how to have it back", () => {
    const planned = plan(rounds(6, { input: { command: "ls" } }), PAYBACK, { cache: "cold" });
    const [block] = planned!.decisions[0]!.with[0]!.blocks;
    expect((block as ToolResult).content).toMatch(
      /^\[Cleared .* shell \{"command":"ls"\}, \d+ characters\. Recall entry 3 /,
    );
  });

  test("planning again makes no sense before enough has come in", () => {
    const index = createResultIndex();
    const view = viewOf(rounds(4));
    index.update(view);
    expect(index.unplannedTokens).toBe(index.results.reduce((sum, { tokens }) => sum + tokens, 0));
    index.markPlanned();
    expect(index.unplannedTokens).toBe(0);
  });
});

describe("what stays", () => {
  const cold = { cache: "cold" } as const;

  test("results that are no longer than what would stand in their place", () => {
    const list = [{ words: 10 }, { words: 400 }, ...rounds(3)];
    for (const parameters of [PAYBACK, { ...FIXED, keepNewestCold: 3 }]) {
      expect(clearedRounds(plan(list, parameters, cold))).toEqual([1]);
    }
  });

  test("previews of results that are stored", () => {
    const list = [{ stored: true }, {}, ...rounds(3)];
    expect(clearedRounds(plan(list, PAYBACK, cold))).toEqual([1]);
  });

  test("what was asked for again after it had been cleared", () => {
    const list = [{ input: { command: "ls" }, cleared: true }, { input: { command: "ls" } }, ...rounds(5)];
    expect(clearedRounds(plan(list, PAYBACK, cold))).toEqual([2, 3]);
  });

  test("a stub whose call is no longer in the view: the others are cleared all the same", () => {
    const index = createResultIndex();
    const view = viewOf([{ cleared: true }, ...rounds(5)]);
    // A boundary took out the call of the first result.
    view.items.shift();
    index.update(view);
    const eligible = eligibleResults(index, { ...ELIGIBILITY, keepNewest: 3 });
    expect(eligible.map(({ entry }) => entry)).toEqual([5, 7]);
  });

  const round: fc.Arbitrary<Round> = fc.record({
    tool: fc.constantFrom("shell", "read", "edit", "ask"),
    input: fc.record({ path: fc.constantFrom("a", "b", "c") }),
    words: fc.integer({ min: 1, max: 3_000 }),
    status: fc.constantFrom("ok" as const, "ok" as const, "error" as const),
    cleared: fc.boolean(),
  });

  test("errors, answers of the user, what is cleared already, the newest: under any policy and price", () => {
    fc.assert(
      fc.property(
        fc.array(round, { maxLength: 40 }),
        fc.constantFrom(PAYBACK, FIXED),
        fc.constantFrom("warm" as const, "cold" as const),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (list, parameters, cache, read) => {
          const cleared = clearedRounds(plan(list, parameters, { cache, costs: { read, write: 1.25 } }));
          expect(new Set(cleared).size).toBe(cleared.length);
          const clearable = list.flatMap(({ tool, status, cleared: gone }, index) =>
            tool !== "ask" && status === "ok" && !gone ? [index] : [],
          );
          for (const index of cleared) expect(clearable.slice(0, -3)).toContain(index);
          const { decisions = [] } = plan(list, parameters, { cache, costs: { read, write: 1.25 } }) ?? {};
          for (const { from, with: stubs } of decisions) {
            const [stub] = stubs[0]!.blocks as readonly ToolResult[];
            const { words } = list[(from - 3) / 2]!;
            expect(`word${(from - 3) / 2} `.length * words!).toBeGreaterThan((stub!.content as string).length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
