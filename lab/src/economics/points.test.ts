import type { Recording } from "@palimpsest/observe/replay";
import { coding, type Policy } from "palimpsest/policy";
import { stateOf } from "palimpsest/testing";
import { expect, test } from "vitest";
import { POINTS, policyAtPoints } from "./points.ts";

const call = (name: string, input: unknown) => ({ kind: "tool_call", id: name, name, input });
const todos = (...states: readonly string[]) => call("TodoWrite", { todos: states.map((status) => ({ status })) });

/** Four requests, a minute apart. */
const RECORDING = {
  rounds: [
    [call("Bash", { command: "git status" })],
    [todos("completed", "pending"), call("Bash", { command: "git add -A && git commit -m x" })],
    [todos("completed", "in_progress")],
    [],
  ].map((blocks, index) => ({ sentAtMs: index * 60_000, response: { blocks } })),
} as unknown as Recording;

const balanced = coding();
const neverCompacts: Policy = { ...balanced, compact: { ...balanced.compact, when: () => undefined } };

/** The requests before which a rule wants to compact. */
function pointsOf(name: string, tokens = 60_000, turn: "starting" | "open" = "open"): readonly number[] {
  const { when } = policyAtPoints(name, neverCompacts, RECORDING).compact;
  return [0, 1, 2, 3].filter((index) => {
    const more = { nowMs: index * 60_000 + 1_000 };
    return when(stateOf({ tokens, turn, more })) !== undefined;
  });
}

test("a commit and a finished todo are points of the next request, and a todo that goes on is none", () => {
  expect(POINTS.map((name) => pointsOf(name))).toEqual([[], [2], [2]]);
});

test("an end of a turn is a point whenever a message of the user starts the next one", () => {
  expect(pointsOf("at-ends-of-turns", 60_000, "starting")).toEqual([0, 1, 2, 3]);
});

test("a small conversation has no points", () => {
  for (const name of POINTS) expect(pointsOf(name, 59_999, "starting")).toEqual([]);
});
