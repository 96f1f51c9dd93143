import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { resolveSettings } from "../settings/resolve-settings.ts";
import { startCalibration } from "../tokens/calibration.ts";
import { toItem } from "../view/item.ts";
import { createView } from "../view/view.ts";
import { clearStale } from "./clear-stale.ts";
import { createResultIndex } from "./microcompact/result-index.ts";
import { recallTool } from "./recall/recall-tool.ts";
import type { StageContext } from "./stage.ts";

const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
/** As the provider reported it. */
const SIZE_TOKENS = 60_000;
const TOOLS: readonly ToolDefinition[] = [{ name: "shell", inputSchema: {} }];

interface Situation {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Results of about 4,000 tokens each. @default 10 */
  readonly results?: number;
  /** Since the newest request; its prompt is kept for five minutes. @default a minute */
  readonly agoMs?: number;
  readonly warningTokens?: number;
  readonly tools?: readonly ToolDefinition[];
  /** The newest item. @default the user's */
  readonly last?: "user" | "tool";
  readonly more?: Partial<StageContext>;
  readonly edits?: "asked before";
}

function contextOf(situation: Situation): StageContext {
  const { settings = {}, results = 10, agoMs = 60_000, warningTokens = 1e6, tools = TOOLS, last = "user" } = situation;
  const view = createView(startCalibration());
  view.anchor = { request: 1, responseId: "r", tokens: SIZE_TOKENS, prefix: "same" };
  view.configuration = { tools } as never;
  if (situation.edits !== undefined) view.edits = {} as never;
  for (let at = 0; at < results; at++) {
    const id = `${at}`;
    const call: Block = { kind: "tool_call", id, name: "shell", input: { at } };
    const result: Block = { kind: "tool_result", callId: id, content: `word${at} `.repeat(4_000), status: "ok" };
    const from = 2 * at + 1;
    view.items.push(toItem({ from, to: from, role: "assistant", blocks: [call], origin: "model" }));
    view.items.push(toItem({ from: from + 1, to: from + 1, role: "user", blocks: [result], origin: "tool" }));
  }
  if (last === "user") {
    const blocks = [{ kind: "text", text: "go on" }] as const;
    view.items.push(toItem({ from: 99, to: 99, role: "user", blocks, origin: "human" }));
  }
  const index = createResultIndex();
  index.update(view);
  return {
    view,
    results: index,
    settings: resolveSettings({ file: settings }).settings,
    ledger: { sources: { main: { previous: { atMs: 0, lifetimeMs: 300_000 } } } },
    budget: { warningTokens },
    thinking: "free",
    prices: PRICES,
    asked: {},
    nowMs: agoMs,
    ...situation.more,
  } as unknown as StageContext;
}

/** The entries that are cleared, and what is said of it. */
async function cleared(situation: Situation) {
  const { drafts, newEvents } = await clearStale(contextOf(situation));
  const payloads = drafts.map(({ kind, payload }) => ({ kind, ...JSON.parse(payload) }));
  return { entries: payloads.map(({ from }) => from as number), payloads, newEvents };
}

const COLD = { agoMs: 300_000 };
const KEEP = { "clearing.keepNewest": 8 };

test("once the prompt is forgotten, all but the newest results become stubs", async () => {
  const { entries, payloads, newEvents } = await cleared({ ...COLD, settings: KEEP });
  expect(entries).toEqual([2, 4]);
  expect(payloads.map(({ kind, from, to }) => [kind, to - from])).toEqual([
    ["replace", 0],
    ["replace", 0],
  ]);
  const { shedTokens } = payloads[0].cost;
  expect(shedTokens).toBeGreaterThan(4_000);
  // Nothing of the cached prompt is lost, and what is not written again is saved.
  expect(payloads[0].cost.netUsd).toBeCloseTo(-shedTokens * 3.75e-6);
  const about = { kind: "results-cleared", way: "by-time", trigger: "auto", count: 2 };
  expect(newEvents).toEqual([{ ...about, shedTokens, invalidatedPrefixTokens: 0 }]);
});

test.each<[string, Situation]>([
  ["it is switched off", { ...COLD, settings: { "clearing.enabled": "off" } }],
  ["clearing by time is switched off", { ...COLD, settings: { "clearing.byTime": "off" } }],
  ["the prompt is still held", { agoMs: 299_999 }],
  ["there was no request yet", { ...COLD, more: { ledger: { sources: {} } as never } }],
  ["only another caller has sent requests", { ...COLD, more: { ledger: ofOther() } }],
  ["there are no more results than are kept", { ...COLD, results: 8 }],
  ["the provider is asked to leave results out", { ...COLD, more: { asked: { edits: {} } as never } }],
  ["the provider was asked to, and they are still out", { ...COLD, edits: "asked before" }],
  ["results are deleted from the cached prompt", { ...COLD, more: { asked: { deleted: [] } as never } }],
  ["thinking is bound to the turn", { ...COLD, last: "tool", more: { thinking: "bound" } }],
])("nothing is cleared where %s", async (_, situation) => {
  expect(await clearStale(contextOf(situation))).toEqual({ drafts: [], newEvents: [] });
});

function ofOther(): StageContext["ledger"] {
  return { sources: { other: { previous: { atMs: 0, lifetimeMs: 300_000 } } } } as never;
}

test("thinking that is bound keeps an open turn only", async () => {
  const bound = { more: { thinking: "bound" } } as const;
  expect((await cleared({ ...COLD, ...bound })).entries).toEqual([2, 4]);
  expect((await cleared({ ...COLD, last: "tool" })).entries).toEqual([2, 4]);
});

test("while the prompt is held, results are cleared if that pays within the requests that are set", async () => {
  const by = (paybackRequests: number, more: object = {}): Situation => ({
    results: 20,
    settings: {
      "clearing.bySize": "on",
      "clearing.keepNewest": 15,
      "clearing.paybackRequests": paybackRequests,
      ...more,
    },
  });
  const { entries, newEvents } = await cleared(by(1_000));
  expect(entries).toEqual([2, 4, 6, 8, 10]);
  expect(newEvents).toMatchObject([{ way: "payback", count: 5 }]);
  const { shedTokens, invalidatedPrefixTokens } = newEvents[0] as {
    shedTokens: number;
    invalidatedPrefixTokens: number;
  };
  // What is written again instead of read, and what each request no longer reads.
  const lost = invalidatedPrefixTokens * (PRICES.cacheWrite5m - PRICES.cacheRead);
  const least = Math.floor(lost / (shedTokens * PRICES.cacheRead)) + 1;
  expect(least).toBeGreaterThan(20);
  expect((await cleared(by(least))).entries).toHaveLength(5);
  expect((await cleared(by(least - 1))).entries).toEqual([]);
  expect((await cleared(by(1_000, { "clearing.minTokens": 1e6 }))).entries).toEqual([]);
  expect((await cleared(by(1_000, { "clearing.bySize": "off" }))).entries).toEqual([]);
});

test("by the fixed rules, time and size alone decide, each with its own number of results", async () => {
  const fixed = (more: object = {}) => ({
    settings: {
      "clearing.policy": "fixed",
      "clearing.bySize": "on",
      "clearing.fixedKeepNewest": 9,
      "clearing.keepNewest": 4,
      "clearing.fixedTargetTokens": 0,
      "clearing.fixedMinTokens": 1,
      ...more,
    },
  });
  expect((await cleared({ ...COLD, ...fixed() })).entries).toEqual([2]);
  const large = { warningTokens: SIZE_TOKENS };
  const bySize = await cleared({ ...large, ...fixed() });
  expect(bySize.entries).toEqual([2, 4, 6, 8, 10, 12]);
  expect(bySize.newEvents).toMatchObject([{ way: "by-size", count: 6 }]);
  expect((await cleared({ warningTokens: SIZE_TOKENS + 1, ...fixed() })).entries).toEqual([]);
  expect((await cleared({ ...large, ...fixed({ "clearing.fixedMinTokens": 1e6 }) })).entries).toEqual([]);
  expect((await cleared({ ...large, ...fixed({ "clearing.fixedTargetTokens": 1e6 }) })).entries).toEqual([]);
  // They hold even where a request would not earn it back.
  expect((await cleared({ ...large, ...fixed({ "clearing.paybackRequests": 1 }) })).entries).toHaveLength(6);
});

test("a stub names the way to recall a result where there is one, and prices follow the lifetime", async () => {
  const stubOf = async (tools: readonly ToolDefinition[]) =>
    JSON.stringify((await cleared({ ...COLD, tools })).payloads[0].with);
  expect(await stubOf([...TOOLS, recallTool])).toContain("Recall entry 2");
  expect(await stubOf(TOOLS)).not.toContain("Recall");
  const long = { sources: { main: { previous: { atMs: 0, lifetimeMs: 3_600_000 } } } } as never;
  const { payloads } = await cleared({ agoMs: 3_600_000, more: { ledger: long } });
  expect(payloads[0].cost.netUsd).toBeCloseTo(-payloads[0].cost.shedTokens * 6e-6);
  const unpriced = await cleared({ ...COLD, more: { prices: undefined } });
  expect(unpriced.payloads[0].cost).not.toHaveProperty("netUsd");
});
