import { expect, test } from "vitest";
import { toDraft } from "../log/entry.ts";
import { stateOf } from "../policy/testing.ts";
import { coding } from "../presets/coding.ts";
import { budgetOf } from "../size/budget.ts";
import { SessionState, type Snapshot, takeSnapshot } from "../state/state.ts";

import { memoryStore } from "../stores/memory-store.ts";
import { type PlanOptions, planCompaction, planNumbers } from "./plan.ts";

const configuration = {
  provider: "p",
  model: "m",
  system: { value: "Be brief." },
  tools: { value: [] },
  parameters: {},
  cause: "opened",
} as const;

const STATE = stateOf({ tokens: 20_000 });
const POLICY = {
  ...planNumbers(coding(), STATE),
  moment: "before-request",
  summaryTokens: 20_000,
  state: STATE,
} as const;

async function snapshotOf(messages: number) {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const clock = { now: () => 0 };
  const state = await SessionState.open({ session: "s", writer: opened.writer, clock });
  const said = Array.from({ length: messages }, (_, index) =>
    toDraft("message", {
      ...(index % 2 === 0
        ? ({ role: "user", origin: "human" } as const)
        : ({ role: "assistant", origin: "model" } as const)),
      blocks: [{ kind: "text", text: `message ${index} `.repeat(100) }],
    }),
  );
  await state.append([toDraft("configuration", configuration), ...said]);
  return { log: state.log, snapshot: takeSnapshot(state, budgetOf({ windowTokens: 200_000 })) };
}

test("each refusal in a row halves what a compaction aims at, and only where it answers a refusal", async () => {
  const { log, snapshot } = await snapshotOf(20);
  const targetAfter = async (overflows: number, trigger: "auto" | "reactive"): Promise<number> => {
    const refused: Snapshot = { ...snapshot, carriedState: { ...snapshot.carriedState, overflows } };
    const options = { ...POLICY, log, trigger, attendance: "attended", todos: undefined, head: undefined } as const;
    const plan = await planCompaction(refused, { variant: "full" }, options);
    if ("kind" in plan) throw new Error(plan.kind);
    return plan.targetTokens;
  };
  const whole = await targetAfter(0, "auto");
  expect(await targetAfter(1, "reactive")).toBe(whole);
  expect(await targetAfter(2, "reactive")).toBe(Math.floor(whole / 2));
  expect(await targetAfter(4, "reactive")).toBe(Math.floor(whole / 8));
  expect(await targetAfter(4, "auto")).toBe(whole);
});

test("who has asked for a compaction is waited for; else the work goes on, with somebody there or without", async () => {
  const { log, snapshot } = await snapshotOf(20);
  const preamble = async (trigger: "auto" | "manual", attendance: "attended" | "unattended") => {
    const options = { ...POLICY, log, trigger, attendance, todos: undefined, head: undefined };
    const plan = await planCompaction(snapshot, { variant: "full" }, options);
    return "kind" in plan ? plan.kind : plan.material.preamble;
  };
  expect(await preamble("manual", "attended")).toBe("manual");
  expect(await preamble("manual", "unattended")).toBe("manual");
  expect(await preamble("auto", "attended")).toBe("auto");
  expect(await preamble("auto", "unattended")).toBe("autonomous");
});

test("the user's words are not cut to make smaller what fits as it is", async () => {
  const { log, snapshot } = await snapshotOf(4);
  const planned = (of: Snapshot, trigger: "manual" | "auto" | "reactive") =>
    planCompaction(
      of,
      { variant: "full" },
      { ...POLICY, log, trigger, attendance: "attended", todos: undefined, head: undefined },
    );
  const little: Snapshot = { ...snapshot, sizeTokens: 1_000 };
  expect(await planned(little, "manual")).toMatchObject({ kind: "nothing", cause: "too-small" });
  expect(await planned(little, "auto")).toMatchObject({ kind: "nothing", cause: "too-small" });
  expect(await planned({ ...snapshot, sizeTokens: 4_000 }, "manual")).not.toHaveProperty("kind");
  // Where it must be smaller, it is.
  expect(await planned(little, "reactive")).not.toHaveProperty("kind");
  expect(await planned({ ...little, budget: { ...little.budget, autoCompactTokens: 900 } }, "auto")).not.toHaveProperty(
    "kind",
  );
});

test("what is kept is not told twice; where it is too much by itself, all is folded", async () => {
  // The newest message, entry 22, waits for its answer.
  const { log, snapshot } = await snapshotOf(21);
  const pins = [
    { entry: 30, text: "message 18", of: 20 },
    { entry: 31, text: "message 20", of: 22 },
  ];
  const pinned: Snapshot = { ...snapshot, carriedState: { ...snapshot.carriedState, pins } };
  const planned = async (autoCompactTokens: number) => {
    const of: Snapshot = { ...pinned, budget: { ...pinned.budget, autoCompactTokens } };
    const options: PlanOptions = {
      ...POLICY,
      log,
      trigger: "auto",
      attendance: "attended",
      todos: undefined,
      head: undefined,
    };
    const plan = await planCompaction(of, { variant: "full" }, options);
    if ("kind" in plan) throw new Error(plan.kind);
    const { range, material } = plan;
    return {
      folded: [range.from, range.to],
      kept: range.kept.map(({ from }) => from),
      newestSaid: material.parts.userMessages.at(-1)!.entry,
      pins: material.parts.pins.map(({ of }) => of),
    };
  };
  expect(await planned(4_000)).toEqual({ folded: [2, 21], kept: [22], newestSaid: 20, pins: [20] });
  expect(await planned(300)).toEqual({ folded: [2, 22], kept: [], newestSaid: 22, pins: [20, 22] });
});
