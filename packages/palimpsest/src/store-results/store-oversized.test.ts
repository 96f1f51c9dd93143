import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ToolDefinition } from "../log/payload.ts";
import type { StageContext } from "../policy/stage.ts";
import { recallTool } from "../recall/recall.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { estimateTokens, startCalibration } from "../size/calibration.ts";
import { memoryResults } from "../stores/memory-store.ts";
import type { ResultFiles } from "../stores/store.ts";
import { createView, toItem } from "../view/view.ts";

import { failureNotice, storeOversized, storingFailed, storingOptions } from "./stage.ts";

const TEXT = "some words ".repeat(2_000);

/** A round of two results that are too large together, and a store for files. */
function contextOf(files: ResultFiles): StageContext {
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
  const { settings } = resolveSettings({});
  return { session: "s", view, files, settings, budget: { autoCompactTokens } } as unknown as StageContext;
}

test("what could not be stored is told to the user, and to whoever listens", async () => {
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
