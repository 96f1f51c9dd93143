import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryResults } from "../stores/memory-store.ts";
import { messageItem, sealItem } from "../view/items.ts";
import type { Item } from "../view/view.ts";
import { planAggregate, storeAggregate } from "./stage.ts";
import { settingsOf } from "./store.ts";

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
  test("are stored largest first, until the rest fits", () => {
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

  test("fit then, or nothing is left to store; and what was sent is not touched", () => {
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

  test("also fit the round's room in the window with their previews, which are not nothing", () => {
    const items = [resultItem(1, 10_000), resultItem(2, 10_000), resultItem(3, 10_000)];
    const room = { tokensOf: () => 10_000, mostTokens: 21_000 };
    // Each that is stored leaves its preview: 3,000 of its 10,000 tokens.
    expect(planAggregate(items, settings, room).map(({ item }) => item.from)).toEqual([1, 2]);
  });

  test("leave alone what is never stored, and what stands for something already", () => {
    const items = [
      callItem(1, "a", "read"),
      resultItem(2, 49_000, "a"),
      { ...resultItem(3, 48_000), by: 9 } as Item,
      resultItem(4, 4_000),
    ];
    const tight = { ...settingsOf({ boundedTools: ["read"] }), aggregateCharacters: 1_000 };
    expect(planAggregate(items, tight).map(({ item }) => item.from)).toEqual([4]);
  });

  test("become decisions that name their entries, and the same ones again", async () => {
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

  test("stay whole where they cannot be stored, and the failure is told", async () => {
    const create = async () => Promise.reject(new Error("no room"));
    const options = { files: { ...memoryResults(), create }, session: "s", aggregateCharacters: 1_000 };
    const { decisions, failures } = await storeAggregate([resultItem(1, 8_000)], options);
    expect(decisions).toEqual([]);
    expect(failures).toMatchObject([{ bytes: 8_000 }]);
  });
});
