import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { StageContext } from "../policy/stage.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { startCalibration } from "../size/calibration.ts";
import { createResultIndex } from "../view/results.ts";
import { createView, toItem } from "../view/view.ts";

import { clearStale } from "./stage.ts";

const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
/** As the provider reported it. */
const SIZE_TOKENS = 60_000;

interface Situation {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Results of about 4,000 tokens each. @default 10 */
  readonly results?: number;
  /** Since the newest request; its prompt is kept for five minutes. @default a minute */
  readonly agoMs?: number;
  /** The newest item. @default the user's */
  readonly last?: "user" | "tool";
  readonly more?: Partial<StageContext>;
  readonly edits?: "asked before";
}

function contextOf(situation: Situation): StageContext {
  const { settings = {}, results = 10, agoMs = 60_000, last = "user" } = situation;
  const view = createView(startCalibration());
  view.anchor = { request: 1, responseId: "r", tokens: SIZE_TOKENS, prefix: "same" };
  view.configuration = { tools: [{ name: "shell", inputSchema: {} }] } as never;
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
    budget: { warningTokens: 1e6 },
    thinking: "free",
    prices: PRICES,
    asked: {},
    nowMs: agoMs,
    ...situation.more,
  } as unknown as StageContext;
}

const COLD = { agoMs: 300_000 };

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
  const clearedOf = async (situation: Situation) => (await clearStale(contextOf(situation))).drafts.length;
  expect(await clearedOf({ ...COLD, more: { thinking: "bound" } })).toBeGreaterThan(0);
  expect(await clearedOf({ ...COLD, last: "tool" })).toBeGreaterThan(0);
});

test("by the fixed rules, results are cleared even where a request would not earn it back", async () => {
  const fixed = {
    "clearing.policy": "fixed",
    "clearing.bySize": "on",
    "clearing.fixedTargetTokens": 0,
    "clearing.fixedMinTokens": 1,
    "clearing.paybackRequests": 1,
  };
  const clearedOf = async (policy: object) => {
    const settings = { ...fixed, ...policy };
    const more = { budget: { warningTokens: SIZE_TOKENS } as StageContext["budget"] };
    return (await clearStale(contextOf({ results: 20, settings, more }))).drafts.length;
  };
  expect(await clearedOf({})).toBeGreaterThan(0);
  expect(await clearedOf({ "clearing.policy": "payback" })).toBe(0);
});
