import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ReadEntry } from "../log/draft.ts";
import type { Payloads, ToolDefinition } from "../log/payload.ts";
import type { ProviderEdits } from "../log/payload-compaction.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { startCalibration } from "../size/calibration.ts";
import { foldEntry } from "../view/fold.ts";
import { createView, type View } from "../view/view.ts";
import { type EditsSituation, planEdits } from "./edits.ts";

const tools: readonly ToolDefinition[] = [
  { name: "Read", inputSchema: {} },
  { name: "write", inputSchema: {} },
  { name: "AskUser", inputSchema: {}, results: "kept" },
];
const text: Block = { kind: "text", text: "words" };
const thinking: Block = { kind: "thinking", provider: "p", text: "hm", signature: "s" };

function write() {
  const view = createView(startCalibration());
  let sequence = 0;
  const add = <Kind extends keyof Payloads>(kind: Kind, payload: Payloads[Kind]): number => {
    foldEntry(view, { kind, sequence: ++sequence, payload } as ReadEntry);
    return sequence;
  };
  const parts = { system: { value: "" }, tools: { value: tools }, parameters: {}, cause: "test" };
  add("configuration", { provider: "p", model: "m", ...parts });
  return {
    view,
    say: (): number => add("message", { role: "user", origin: "human", blocks: [text] }),
    /** A request that asks for these edits, and its answer. */
    round(edits: ProviderEdits | undefined, ...answer: Block[]): void {
      const cache = { configuration: 1, images: "none", lifetimeMs: 1, ...(edits && { edits }) } as const;
      const answers = add("request", { maxTokens: 1, estimatedTokens: 1, cache });
      add("message", { role: "assistant", origin: "model", blocks: answer, answers });
    },
    fold(): void {
      const range = { from: 2, to: sequence, with: [], reason: "test" };
      add("boundary", {
        ...range,
        outline: [],
        state: { configuration: 1, calibration: {}, ledger: {}, standing: {} },
      });
    },
  };
}

const plan = (view: View, more: Partial<EditsSituation> & { file?: object } = {}): ProviderEdits | undefined => {
  const { file, ...rest } = more;
  return planEdits({
    view,
    settings: resolveSettings({ file: file ?? {} }).settings,
    budget: { warningTokens: 927_000 },
    takesEdits: "yes",
    thinking: "bound",
    turn: "new",
    idleMs: 0,
    ...rest,
  });
};

describe("what is asked for", () => {
  test("read-like results and write-like inputs of clearable tools, as the settings have it", () => {
    expect(plan(write().view)).toEqual({
      results: {
        aboveTokens: 180_000,
        minimumTokens: 140_000,
        keepNewest: 8,
        keptTools: ["AskUser"],
        inputsOf: ["write"],
      },
      thinking: "all",
    });
  });

  test("in a small window, as much less as it warns earlier", () => {
    const results = plan(write().view, { budget: { warningTokens: 90_000 } })?.results;
    expect(results).toMatchObject({ aboveTokens: 90_000, minimumTokens: 70_000 });
  });

  test.each<[string, Parameters<typeof plan>[1], "asked" | "not asked"]>([
    ["auto, thinking bound", {}, "asked"],
    ["auto, thinking free", { thinking: "free" }, "not asked"],
    ["on, thinking free", { thinking: "free", file: { "clearing.byProvider": "on" } }, "asked"],
    ["off, thinking bound", { file: { "clearing.byProvider": "off" } }, "not asked"],
    ["all clearing off", { file: { "clearing.enabled": "off" } }, "not asked"],
    ["a provider that cannot", { takesEdits: "no" }, "not asked"],
  ])("%s: %s", (_, situation, expected) => {
    expect(plan(write().view, situation) === undefined ? "not asked" : "asked").toBe(expected);
  });

  test("once asked for, it stays for models of any sort and never asks for less, until a boundary", () => {
    const log = write();
    log.say();
    log.round(plan(log.view, { budget: { warningTokens: 90_000 } }), text);
    const free = { thinking: "free" } as const;
    expect(plan(log.view, free)?.results).toMatchObject({ aboveTokens: 90_000, minimumTokens: 70_000 });
    log.fold();
    expect(plan(log.view, free)).toBeUndefined();
    expect(plan(log.view)?.results.aboveTokens).toBe(180_000);
  });
});

describe("thinking", () => {
  const HOUR_MS = 3_600_000;

  /** Three turns with thinking, the last of them with two rounds of it. */
  function threeTurns() {
    const log = write();
    const starts = [0, 1, 2].map((turn) => {
      const start = log.say();
      log.round(plan(log.view), thinking, text);
      if (turn === 2) log.round(plan(log.view, { turn: "open" }), thinking, text);
      return start;
    });
    return { ...log, lastTurn: starts[2]! };
  }

  test("stays while the user is there, and also if a tool took an hour", () => {
    const { view, say } = threeTurns();
    expect(plan(view, { turn: "open", idleMs: HOUR_MS })?.thinking).toBe("all");
    say();
    expect(plan(view, { idleMs: HOUR_MS - 1 })?.thinking).toBe("all");
  });

  test("after an hour begins with the last turn, and goes on beginning there", () => {
    const log = threeTurns();
    log.say();
    const back = plan(log.view, { idleMs: HOUR_MS });
    expect(back?.thinking).toEqual({ from: log.lastTurn, turns: 1 });
    log.round(back, thinking, text);
    const next = plan(log.view, { turn: "open" });
    expect(next?.thinking).toEqual({ from: log.lastTurn, turns: 2 });
    log.round(next, thinking, text);
    expect(plan(log.view, { turn: "open" })?.thinking).toEqual({ from: log.lastTurn, turns: 2 });
    log.fold();
    expect(plan(log.view)?.thinking).toBe("all");
  });

  test("that was lost and is bound is not sent, so its turn does not count", () => {
    const log = threeTurns();
    log.say();
    const back = plan(log.view, { idleMs: HOUR_MS });
    log.round(back, thinking, text);
    const turns = (bound: "bound" | "free") => plan(log.view, { turn: "open", thinking: bound })?.thinking;
    expect([turns("bound"), turns("free")]).toMatchObject([{ turns: 2 }, { turns: 2 }]);
    for (const item of log.view.items.filter(({ from }) => from > log.lastTurn))
      if (item.kind === "message") Object.assign(item, { thinking: "lost" });
    expect([turns("bound"), turns("free")]).toMatchObject([{ turns: 1 }, { turns: 2 }]);
  });

  test("with nothing said before the pause, there is nothing to begin with", () => {
    const log = write();
    log.say();
    expect(plan(log.view, { idleMs: HOUR_MS })?.thinking).toBe("all");
  });
});
