import { describe, expect, test } from "vitest";
import { TOOL_SEARCH, type ToolDefinition } from "../log/block.ts";
import { startCalibration } from "../size/calibration.ts";
import { createView, type LeftOut, toItem } from "../view/view.ts";
import { clearableTools, createResultIndex, filesRead, goneResults, uncountedResults } from "./clear.ts";
import { readRounds, viewOfRounds } from "./testing/rounds.ts";

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});
const isClearable = clearableTools(
  [
    tool("read"),
    tool("write", { sideEffects: "some" }),
    tool("ask", { results: "kept" }),
    tool("shell", { sideEffects: "some", results: "clearable" }),
    tool("look", { results: "clearable" }),
  ],
  ["Look"],
);

describe("clearableTools", () => {
  test.each([
    ["read", true, "the tool can be called again"],
    ["removed", true, "an unknown tool counts as a read"],
    ["write", false, "the tool has effects"],
    ["ask", false, "the tool declares that"],
    ["shell", true, "the declaration is stronger than the effects"],
    ["look", false, "the list is stronger than the declaration, in any case of letters"],
    [TOOL_SEARCH, false, "tools that a search has found are used from then on"],
  ])("may clear results of %s: %s, because %s", (name, wanted) => {
    expect(isClearable(name)).toBe(wanted);
  });
});

describe("goneResults", () => {
  const rounds = [...readRounds(2), { tool: "AskUser" }, ...readRounds(3)];
  const { index } = viewOfRounds(rounds);
  const leftOut: LeftOut = { results: 3, tokens: 700, keptTools: ["AskUser"], askedBy: "engine" };
  const entriesOf = (results: ReadonlySet<{ readonly entry: number }>) => [...results].map(({ entry }) => entry);

  test("are the oldest results of tools that are not kept, as many as the provider has reported", () => {
    expect(entriesOf(goneResults(index, { leftOut, deleted: [] }))).toEqual([2, 4, 8]);
    expect(entriesOf(goneResults(index, { leftOut: undefined, deleted: [] }))).toEqual([]);
  });

  test("do not include a second result of a call, which the provider sees as text", () => {
    const again = index.results.map((result) => ({ ...result, entry: result.entry + 100 }));
    const { calls } = index;
    const gone = goneResults({ results: [...index.results, ...again], calls }, { leftOut, deleted: [] });
    expect(entriesOf(gone)).toEqual([2, 4, 8]);
  });

  test("include deleted results", () => {
    const deleted = [{ entry: 12, callId: "c5" }];
    expect(entriesOf(goneResults(index, { leftOut, deleted }))).toEqual([2, 4, 8, 12]);
  });

  test("are counted in the size of the view until the provider has reported a deletion", () => {
    const deleted = [{ entry: 12, callId: "c5" }];
    expect(entriesOf(uncountedResults(index, { leftOut, deleted, deletedTokens: 0 }))).toEqual([2, 4, 8]);
    expect(entriesOf(uncountedResults(index, { leftOut, deleted, deletedTokens: 250 }))).toEqual([2, 4, 8, 12]);
  });
});

interface ReadRound {
  readonly path: string;
  readonly tool?: string;
  readonly status?: "ok" | "error";
  readonly by?: number;
  readonly stored?: true;
}

/** Which files are read; round n is the call in entry 2n and its result in entry 2n + 1. */
function read(rounds: readonly ReadRound[], more: object = {}) {
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

describe("filesRead", () => {
  test("has a file if its newest read is whole, with the entry of that read", () => {
    expect(read([{ path: "a.ts" }, { path: "b.ts" }, { path: "a.ts" }])).toEqual({ "a.ts": 7, "b.ts": 5 });
    expect(read([{ path: "a.ts" }, { path: "a.ts", status: "error" }])).toEqual({ "a.ts": 3 });
    expect(read([{ path: "a.ts", status: "error" }])).toEqual({});
    expect(read([{ path: "a.ts", tool: "Edit" }])).toEqual({});
  });

  test("does not have a file whose newest read was cleared, stored or deleted, even if an older read is whole", () => {
    expect(read([{ path: "a.ts" }, { path: "a.ts", by: 99 }])).toEqual({});
    expect(read([{ path: "a.ts" }, { path: "a.ts", stored: true }])).toEqual({});
    expect(read([{ path: "a.ts" }, { path: "b.ts" }], { deleted: [{ entry: 3 }] })).toEqual({ "b.ts": 5 });
  });
});
