import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { resolveSettings } from "../settings/resolve-settings.ts";
import { memoryResults } from "../stores/memory-results.ts";
import type { ResultFiles } from "../stores/results.ts";
import { estimateTokens, startCalibration } from "../tokens/calibration.ts";
import { toItem } from "../view/item.ts";
import { createView } from "../view/view.ts";
import { recallTool } from "./recall/recall-tool.ts";
import type { StageContext } from "./stage.ts";
import { failureNotice, storeOversized, storingFailed, storingOptions } from "./store-oversized.ts";

const TEXT = "some words ".repeat(2_000);

/** A round of two results; the room is for so many of their tokens before a compaction. */
function contextOf(
  roomTokens: (ofOne: number) => number,
  settings: object = {},
  files = memoryResults(),
): StageContext {
  const view = createView(startCalibration());
  const ids = ["a", "b"];
  const calls = ids.map((id): Block => ({ kind: "tool_call", id, name: "shell", input: {} }));
  view.items.push(toItem({ from: 1, to: 1, role: "assistant", blocks: calls, origin: "model" }));
  const results = ids.map((callId, at) => {
    const block: Block = { kind: "tool_result", callId, content: TEXT, status: "ok" };
    return toItem({ from: at + 2, to: at + 2, role: "user", blocks: [block], origin: "tool" });
  });
  view.items.push(...results);
  const autoCompactTokens = roomTokens(estimateTokens(view.calibration, results[0]!.features));
  const { settings: resolved } = resolveSettings({ file: settings });
  return { session: "s", view, files, settings: resolved, budget: { autoCompactTokens } } as unknown as StageContext;
}

test("a round may take half of the room before a compaction; more is stored", async () => {
  const stored = async (...given: Parameters<typeof contextOf>) => (await storeOversized(contextOf(...given))).drafts;
  expect(await stored((one) => one * 4 + 2)).toEqual([]);
  const [draft, ...more] = await stored((one) => one * 4 - 4);
  expect([draft!.kind, more]).toEqual(["replace", []]);
  expect(await stored((one) => one)).toHaveLength(2);
  expect(await stored((one) => one, { "toolResults.storing": "off" })).toEqual([]);
  const { newEvents } = await storeOversized(contextOf((one) => one));
  expect(newEvents).toHaveLength(2);
});

test("what could not be stored is told to the user, and to whoever listens", async () => {
  const files: ResultFiles = { ...memoryResults(), create: () => Promise.reject(new Error("full")) };
  const { drafts, newEvents } = await storeOversized(contextOf((one) => one, {}, files));
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

test("the settings and the tools say from which size on results are stored", () => {
  const { settings } = resolveSettings({
    file: {
      "toolResults.thresholdCharacters": 11_000,
      "toolResults.aggregateCharacters": 22_000,
      "toolResults.userMessageCharacters": 33_000,
    },
  });
  const tools: readonly ToolDefinition[] = [
    { name: "short", inputSchema: {}, resultSize: "bounded" },
    { name: "long", inputSchema: {} },
    recallTool,
  ];
  expect(storingOptions(settings, tools)).toMatchObject({
    thresholdCharacters: 11_000,
    aggregateCharacters: 22_000,
    messageCharacters: 33_000,
    recall: "offered",
  });
  const { boundedTools } = storingOptions(settings, tools);
  expect([boundedTools!.includes("short"), boundedTools!.includes("long")]).toEqual([true, false]);
  expect(storingOptions(settings)).toMatchObject({ boundedTools: [], recall: "missing" });
});
