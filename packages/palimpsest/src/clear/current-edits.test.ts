import { describe, expect, test } from "vitest";
import { TOOL_SEARCH, type ToolDefinition } from "../log/block.ts";
import type { ProviderEdits } from "../log/payload-compaction.ts";
import type { WantedEdits } from "../policy/policy.ts";
import { type Item, toItem } from "../view/view.ts";
import { currentEdits, toDeletions, toProviderEdits } from "./clear.ts";

const user = (from: number): Item =>
  toItem({ from, to: from, role: "user", origin: "human", blocks: [{ kind: "text", text: "Go on." }] });
const thinking = (from: number): Item =>
  toItem({
    from,
    to: from,
    role: "assistant",
    origin: "model",
    blocks: [{ kind: "thinking", provider: "p", text: "" }],
  });
const seal = (from: number): Item => ({ kind: "seal", from, to: from, maxTokens: 1_000 });
/** Three turns with thinking. The user has sent a fourth message. */
const ITEMS = [user(1), seal(2), thinking(3), user(4), seal(5), thinking(6), user(7), seal(8), thinking(9), user(10)];

const inputSchema = { type: "object" };
const TOOLS: readonly ToolDefinition[] = [
  { name: "Read", inputSchema },
  { name: "Edit", inputSchema, sideEffects: "some", results: "clearable" },
  { name: "AskUser", inputSchema, results: "kept" },
  { name: "Shell", inputSchema },
];
const WANTED: WantedEdits = {
  ...{ aboveTokens: 100_000, freeAtLeastTokens: 50_000, keepNewest: 4 },
  ...{ keepTools: ["Shell"], inputsOf: ["edit", "AskUser"], thinking: "all" },
};

describe("toProviderEdits", () => {
  const edits = (wanted: Partial<WantedEdits> = {}, before?: ProviderEdits, items: readonly Item[] = ITEMS) =>
    toProviderEdits({ ...WANTED, ...wanted }, TOOLS, { items: [...items], edits: before }, "free");

  test("keeps results of tools on the list of the rule, and of tools that declare that", () => {
    const { results } = edits();
    expect(results).toMatchObject({ aboveTokens: 100_000, minimumTokens: 50_000, keepNewest: 4 });
    expect([...results.keptTools].filter((name) => name !== TOOL_SEARCH)).toEqual(["AskUser", "Shell"]);
    expect(results.inputsOf).toEqual(["Edit"]);
  });

  test("never raises the limits of earlier edits", () => {
    const before = edits({ aboveTokens: 60_000, freeAtLeastTokens: 20_000 });
    expect(edits({}, before).results).toMatchObject({ aboveTokens: 60_000, minimumTokens: 20_000 });
    expect(edits({ aboveTokens: 30_000 }, before).results.aboveTokens).toBe(30_000);
  });

  test("keeps thinking from the last turn on that was part of a request, counted from the end", () => {
    expect(edits({ thinking: "last-turn" }).thinking).toEqual({ from: 7, turns: 1 });
    const later = [...ITEMS, seal(11), thinking(12), user(13)];
    const { edits: now } = currentEdits({
      view: { items: later, edits: edits({ thinking: "last-turn" }), deleted: [] },
      takesEdits: "yes",
      deletesFromCache: false,
      cache: "warm",
      thinking: "free",
    });
    expect(now?.thinking).toEqual({ from: 7, turns: 2 });
  });

  test("does not bring thinking back", () => {
    const before = edits({ thinking: "last-turn" });
    expect(edits({ thinking: "all" }, before).thinking).toEqual(before.thinking);
  });
});

describe("currentEdits", () => {
  const edits: ProviderEdits = {
    results: { aboveTokens: 1, minimumTokens: 1, keepNewest: 1, keptTools: [], inputsOf: [] },
    thinking: "all",
  };
  const deleted = [{ entry: 2, callId: "c0" }];
  const ask = (more: Partial<Parameters<typeof currentEdits>[0]>) =>
    currentEdits({
      view: { items: ITEMS, edits: undefined, deleted },
      takesEdits: "yes",
      deletesFromCache: true,
      cache: "warm",
      thinking: "free",
      ...more,
    });

  test("asks for the edits of the view with every request that can carry them", () => {
    const view = { items: ITEMS, edits, deleted: [] };
    expect(ask({ view, cache: "cold" })).toEqual({ edits });
    expect(ask({ view, takesEdits: "no" })).toEqual({});
  });

  test("asks for deletions while the cached prompt lasts", () => {
    expect(ask({})).toEqual({ deleted });
    expect(ask({ cache: "cold" })).toEqual({});
    expect(ask({ cache: "none" })).toEqual({});
    expect(ask({ deletesFromCache: false })).toEqual({});
  });
});

describe("toDeletions", () => {
  const results = [2, 4, 6, 8].map((entry) => ({ entry, callId: `c${entry}` }));

  test("repeats earlier deletions, and adds the new ones", () => {
    const earlier = [{ entry: 2, callId: "c2" }];
    expect(toDeletions([4, 8], results, earlier).map(({ entry }) => entry)).toEqual([2, 4, 8]);
  });

  test("leaves out results whose id belongs to two calls", () => {
    const twice = [...results, { entry: 10, callId: "c4" }];
    expect(toDeletions([4, 6, 10], twice, []).map(({ entry }) => entry)).toEqual([6]);
  });
});
