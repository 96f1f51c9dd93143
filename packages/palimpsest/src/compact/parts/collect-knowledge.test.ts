import { expect, test } from "vitest";
import { type Draft, toDraft } from "../../log/entry.ts";
import { toolResult } from "../../log/messages.ts";
import type { Collector, KeepPart } from "../../policy/policy.ts";
import { budgetOf } from "../../size/budget.ts";
import { SessionState, type Snapshot, takeSnapshot } from "../../state/state.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { planBoundary } from "../install.ts";
import { gatherKnowledge } from "./knowledge.ts";
import { partOf } from "./testing.ts";

const configuration = {
  provider: "p",
  model: "m",
  system: { value: "Be brief." },
  tools: { value: [] },
  parameters: {},
  cause: "opened",
} as const;
const said = (text: string): Draft =>
  toDraft("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] });

/** Remembers the entry, the tool and the length of each message. */
const collecting = (version: number, log: (entry: number) => void = () => undefined): KeepPart => {
  const add: Collector["add"] = (state, { entry, tool, text }) => {
    log(entry);
    return [...(state as readonly string[]), `${entry} ${tool ?? "-"} ${text.length}`];
  };
  return partOf("own", { collect: { version, empty: [], maxBytes: 10_000, add } });
};

async function openLog(drafts: readonly Draft[]): Promise<SessionState> {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const state = await SessionState.open({ session: "s", writer: opened.writer, clock: { now: () => 0 } });
  await state.append([toDraft("configuration", configuration), ...drafts]);
  return state;
}

const snapshotOf = (state: SessionState): Snapshot => takeSnapshot(state, budgetOf({ windowTokens: 200_000 }));

async function gather(state: SessionState, keep: readonly KeepPart[]) {
  const { newestEntry, carriedState, countTokens } = snapshotOf(state);
  return gatherKnowledge(state.log, newestEntry, carriedState, { keep, countTokens });
}

/** Compacts everything, with what the parts collected. */
async function foldAll(state: SessionState, keep: readonly KeepPart[]): Promise<void> {
  const { knowledge } = await gather(state, keep);
  const { view, ledger, newestEntry } = state;
  const carriedState = { ...state.carriedState, ...knowledge };
  const replace = { from: 2, to: newestEntry, with: [], reason: "test" };
  await state.append([
    toDraft("boundary", planBoundary(replace, { view, ledger, carriedState, sequence: newestEntry + 1 })),
  ]);
}

const collectedOf = (gathered: Awaited<ReturnType<typeof gather>>) => gathered.knowledge.collected["own"];

test("a collector gets each message once over several boundaries, and its state is carried by the boundary", async () => {
  const seen: number[] = [];
  const keep = [collecting(1, (entry) => seen.push(entry))];
  const state = await openLog([said("a"), said("bb")]);
  await foldAll(state, keep);
  await state.append([said("ccc")]);
  expect(collectedOf(await gather(state, keep))).toEqual({ version: 1, state: ["2 - 1", "3 - 2", "5 - 3"] });
  expect(seen).toEqual([2, 3, 5]);
});

test("a new collector, or one of another version, starts from the beginning of the log", async () => {
  const state = await openLog([said("a"), said("bb")]);
  await foldAll(state, []);
  await state.append([said("ccc")]);
  const whole = ["2 - 1", "3 - 2", "5 - 3"];
  expect(collectedOf(await gather(state, [collecting(1)]))).toEqual({ version: 1, state: whole });
  await foldAll(state, [collecting(1)]);
  expect(collectedOf(await gather(state, [collecting(2)]))).toEqual({ version: 2, state: whole });
  expect(collectedOf(await gather(state, []))).toBeUndefined();
});

test("a collector does not get messages of a branch that was left", async () => {
  const state = await openLog([said("a"), said("bb")]);
  await foldAll(state, []);
  await state.append([toDraft("rewind", { reason: "test", ledger: state.ledger, sharedTo: 2 }, 2)]);
  await state.reload();
  await state.append([said("cccc")]);
  const entries = (collectedOf(await gather(state, [collecting(1)]))!.state as readonly string[]).map((one) =>
    one.slice(2),
  );
  expect(entries).toEqual(["- 1", "- 4"]);
});

test("a collector gets a result with its tool, whole where the view shows a stub, and up to 100,000 characters", async () => {
  const call = { kind: "tool_call", id: "1", name: "Read", input: {} } as const;
  const state = await openLog([
    toDraft("message", { role: "assistant", origin: "model", blocks: [call] }),
    toDraft("message", toolResult("1", "x".repeat(5_000)) as never),
    said("y".repeat(300_000)),
  ]);
  const stub = {
    role: "user",
    origin: "tool",
    blocks: [{ kind: "tool_result", callId: "1", content: "cleared", status: "ok" }],
  } as const;
  await state.append([toDraft("replace", { from: 3, to: 3, with: [stub], reason: "test" })]);
  expect(collectedOf(await gather(state, [collecting(1)]))!.state).toEqual(["2 - 0", "3 Read 5000", "4 - 100000"]);
});
