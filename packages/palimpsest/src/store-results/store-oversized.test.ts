import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import type { StoreRule } from "../policy/policy.ts";
import { storeBySize } from "../policy/rules/store.ts";
import { coding } from "../presets/coding.ts";
import { recallTool } from "../recall/recall.ts";
import type { NewEvent } from "../session-event.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { type Budget, budgetOf } from "../size/budget.ts";
import { estimateTokens, startCalibration } from "../size/calibration.ts";
import { SessionPolicy } from "../state/policy.ts";
import { memoryResults } from "../stores/memory-store.ts";
import type { ResultFiles } from "../stores/store.ts";
import { messageItem, sealItem } from "../view/items.ts";
import { createView, type Item, toItem } from "../view/view.ts";
import {
  failureNotice,
  planAggregate,
  settingsOf,
  storeAggregate,
  storeOversized,
  storingFailed,
  storingOptions,
} from "./store.ts";

const TEXT = "some words ".repeat(2_000);

/** A round of two results that are too large together, and a store for files. */
function contextOf(files: ResultFiles): Parameters<typeof storeOversized>[0] {
  const view = createView(startCalibration());
  const ids = ["a", "b"];
  const calls = ids.map((id): Block => ({ kind: "tool_call", id, name: "shell", input: {} }));
  view.items.push(toItem({ from: 1, to: 1, role: "assistant", blocks: calls, origin: "model" }));
  const results = ids.map((callId, at) => {
    const block: Block = { kind: "tool_result", callId, content: TEXT, status: "ok" };
    return toItem({ from: at + 2, to: at + 2, role: "user", blocks: [block], origin: "tool" });
  });
  view.items.push(...results);
  const autoCompactTokens = estimateTokens(view.calibration, results[0]!.features);
  return { session: "s", view, files, policy: policyWith(), budget: budgetWith(autoCompactTokens) };
}

function budgetWith(autoCompactTokens: number): Budget {
  return { ...budgetOf({ windowTokens: 200_000 }), autoCompactTokens };
}

/** The policy of an open session that stores by this rule. */
function policyWith(store: StoreRule = storeBySize(), events: NewEvent[] = []): SessionPolicy {
  const { settings } = resolveSettings({});
  return new SessionPolicy({
    sessionId: "s",
    option: { ...coding(), store },
    fromSettings: () => coding(),
    settings: { current: settings },
    model: () => ({ model: "m", windowTokens: 200_000 }),
    emit: (event) => events.push(event),
  });
}

test("storeOversized reports content that it could not store to the user and to listeners", async () => {
  const files: ResultFiles = { ...memoryResults(), create: () => Promise.reject(new Error("full")) };
  const { drafts, newEvents } = await storeOversized(contextOf(files));
  expect(newEvents).toContainEqual(expect.objectContaining({ kind: "storing-failed", error: "full" }));
  const notices = drafts.filter(({ kind }) => kind === "message").map(({ payload }) => JSON.parse(payload));
  expect(notices[0]).toMatchObject({
    origin: "host",
    audience: "user",
    blocks: [{ text: expect.stringMatching(/full/) }],
  });
  const failure = { error: new Error("full"), bytes: 12, keptCharacters: 34 };
  const said = (shown: "all" | "beginning") => JSON.parse(failureNotice({ ...failure, shown }).payload).blocks[0].text;
  expect(said("all")).toMatch(/12 bytes.*full.*all of it/);
  expect(said("beginning")).toMatch(/12 bytes.*full.*34 characters/);
  const event = { kind: "storing-failed", bytes: 12, error: "full", shown: "beginning" };
  expect(storingFailed({ ...failure, shown: "beginning" })).toEqual(event);
});

describe("storingOptions", () => {
  const tools: readonly ToolDefinition[] = [
    { name: "short", inputSchema: {}, resultSize: "bounded" },
    { name: "long", inputSchema: {} },
    recallTool,
  ];

  test("takes the thresholds from the policy and the tools", () => {
    const policy = policyWith(
      storeBySize({
        ...{ thresholdCharacters: 11_000, roundCharacters: 22_000, userMessageCharacters: 33_000 },
        byTool: { odd: 7_000 },
      }),
    );
    const options = storingOptions(policy, tools);
    expect(options).toMatchObject({ aggregateCharacters: 22_000, messageCharacters: 33_000, recall: "offered" });
    expect(["short", "long", "odd", undefined].map((tool) => options.thresholdOf!(tool))).toEqual([
      Number.POSITIVE_INFINITY,
      11_000,
      7_000,
      11_000,
    ]);
    expect(storingOptions(policy)).toMatchObject({ recall: "missing" });
    expect(storingOptions(policy).thresholdOf!("short")).toBe(11_000);
  });

  test("reports a rule that fails, and uses the default threshold", () => {
    const events: NewEvent[] = [];
    const fails = () => {
      throw new Error("no such tool");
    };
    const policy = policyWith({ ...storeBySize(), thresholdOf: fails }, events);
    expect(storingOptions(policy, tools).thresholdOf!("long")).toBe(50_000);
    expect(events).toEqual([
      { kind: "rule-failed", rule: "store", where: "threshold", because: "it threw: no such tool", paused: false },
    ]);
  });
});

function resultItem(at: number, characters: number, callId = `c${at}`): Item {
  return messageItem(at, {
    role: "user",
    origin: "tool",
    blocks: [{ kind: "tool_result", callId, content: "x".repeat(characters), status: "ok" }],
  });
}

function callItem(at: number, id: string, name: string): Item {
  return messageItem(at, { role: "assistant", origin: "model", blocks: [{ kind: "tool_call", id, name, input: {} }] });
}

const seal = (at: number): Item => sealItem(at, { maxTokens: 1, estimatedTokens: 1 });
const settings = settingsOf();
const SHOWN = 3_000;

describe("results that are too large together", () => {
  test("are stored largest first until the rest fits", () => {
    const items = [
      resultItem(1, 49_000),
      resultItem(2, 45_000),
      resultItem(3, 48_000),
      resultItem(4, 47_000),
      resultItem(5, 46_000),
    ];
    expect(planAggregate(items, settings).map(({ item }) => item.from)).toEqual([1]);
    expect(planAggregate([...items, resultItem(6, 49_500)], settings).map(({ item }) => item.from)).toEqual([6, 1]);
    expect(planAggregate(items.slice(1), settings)).toEqual([]);
  });

  test("fit afterwards, or none is left to store, and sent results stay", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 49_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, sizes, fc.integer({ min: 0, max: 120_000 }), (sent, fresh, aggregateCharacters) => {
        const items = [
          ...sent.map((size, index) => resultItem(index + 1, size)),
          seal(50),
          ...fresh.map((size, index) => resultItem(index + 51, size)),
        ];
        const picks = planAggregate(items, { ...settings, aggregateCharacters });
        const picked = new Set(picks.map(({ item }) => item.from));
        const rest = fresh.filter((_, index) => !picked.has(index + 51));
        const total = rest.reduce((sum, size) => sum + size, 0) + picks.length * SHOWN;
        expect(Math.min(...picked, 99)).toBeGreaterThan(50);
        expect(total <= aggregateCharacters || rest.every((size) => size <= SHOWN)).toBe(true);
        // No more than needed.
        const last = picks.at(-1);
        if (last !== undefined) expect(total + last.characters - SHOWN).toBeGreaterThan(aggregateCharacters);
      }),
      { numRuns: 60 },
    );
  });

  test("fit the room of the round in the window, including their previews", () => {
    const items = [resultItem(1, 10_000), resultItem(2, 10_000), resultItem(3, 10_000)];
    const room = { tokensOf: () => 10_000, mostTokens: 21_000 };
    // Each that is stored leaves its preview: 3,000 of its 10,000 tokens.
    expect(planAggregate(items, settings, room).map(({ item }) => item.from)).toEqual([1, 2]);
  });

  test("do not include results that are never stored or already replaced", () => {
    const items = [
      callItem(1, "a", "read"),
      resultItem(2, 49_000, "a"),
      { ...resultItem(3, 48_000), by: 9 } as Item,
      resultItem(4, 4_000),
    ];
    const unlessRead = (tool: string | undefined) => (tool === "read" ? Number.POSITIVE_INFINITY : 50_000);
    const tight = { ...settings, thresholdOf: unlessRead, aggregateCharacters: 1_000 };
    expect(planAggregate(items, tight).map(({ item }) => item.from)).toEqual([4]);
  });

  test("become decisions that name their entries, and the same decisions again", async () => {
    const items = [resultItem(11, 8_000), resultItem(12, 9_000), resultItem(13, 7_000)];
    const options = { files: memoryResults(), session: "s", aggregateCharacters: 16_000 };
    const { decisions, stored, failures } = await storeAggregate(items, options);
    expect(failures).toEqual([]);
    expect(decisions).toHaveLength(2);
    expect(decisions[0]).toMatchObject({
      from: 12,
      to: 12,
      with: [{ role: "user", origin: "tool", blocks: [{ kind: "tool_result", callId: "c12", status: "ok" }] }],
      reason: "stored: 9,000 characters, as the results of one request may have 16,000",
    });
    expect(JSON.stringify(decisions[0]!.with)).toContain("recall, entry 12");
    expect(await storeAggregate(items, options)).toEqual({ decisions, stored, failures });
    expect(stored.map(({ entry, bytes }) => [entry, bytes])).toEqual([
      [12, 9_000],
      [11, 8_000],
    ]);
  });

  test("stay complete and are reported if they cannot be stored", async () => {
    const create = async () => Promise.reject(new Error("no room"));
    const options = { files: { ...memoryResults(), create }, session: "s", aggregateCharacters: 1_000 };
    const { decisions, failures } = await storeAggregate([resultItem(1, 8_000)], options);
    expect(decisions).toEqual([]);
    expect(failures).toMatchObject([{ bytes: 8_000 }]);
  });
});
