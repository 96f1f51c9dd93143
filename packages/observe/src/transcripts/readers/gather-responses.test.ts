import { describe, expect, test } from "vitest";
import { gatherResponses, type RecordedStep } from "./gather-responses.ts";
import type { RecordedEntry, RecordedMessage, RecordedUsage } from "./recorded.ts";
import { recordedMessage } from "./testing/recorded-message.ts";

const piece = (id: string, atMs: number, responseId: string): RecordedMessage =>
  recordedMessage(id, atMs, { role: "assistant", origin: "model", responseId, model: "m" });
const usage = (responseId: string, atMs: number, fields: Partial<RecordedUsage> = {}): RecordedUsage => ({
  kind: "usage",
  responseId,
  branch: "main",
  atMs,
  freshTokens: 1,
  cacheReadTokens: 0,
  outputTokens: 1,
  outputCount: "final",
  ...fields,
});
const compaction = {
  kind: "compaction",
  id: "k",
  branch: "main",
  atMs: 9,
  trigger: "auto",
  kept: { kind: "nothing" },
} as const;

async function gather(...entries: readonly RecordedEntry[]): Promise<RecordedStep[]> {
  async function* stream(): AsyncGenerator<RecordedEntry> {
    yield* entries;
  }
  return Array.fromAsync(gatherResponses(stream()));
}
const emitted = (steps: readonly RecordedStep[]): string[] =>
  steps.map((step) =>
    step.kind === "response"
      ? `${step.responseId}: ${step.messages.map(({ id }) => id).join(" ")}${step.usage === undefined ? "" : " used"} @${step.sentAtMs}`
      : "id" in step
        ? step.id
        : step.kind,
  );

describe("gatherResponses", () => {
  test("a response comes whole, before the results that were written between its messages", async () => {
    const steps = await gather(
      recordedMessage("u", 1),
      piece("a", 2, "r"),
      recordedMessage("x", 3),
      piece("b", 4, "r"),
      recordedMessage("y", 5),
      usage("r", 4),
      piece("c", 7, "s"),
      usage("s", 7),
    );
    expect(emitted(steps)).toEqual(["u", "r: a b used @1", "x", "y", "s: c used @5"]);
  });

  test("what a response used is found before and behind the results", async () => {
    expect(emitted(await gather(piece("a", 2, "r"), usage("r", 2), recordedMessage("x", 3)))).toEqual([
      "r: a used @2",
      "x",
    ]);
    expect(emitted(await gather(piece("a", 2, "r"), recordedMessage("x", 3), usage("r", 2)))).toEqual([
      "r: a used @2",
      "x",
    ]);
  });

  test("a response whose use was never told is one, and so is a use without a response", async () => {
    const steps = await gather(
      recordedMessage("u", 1),
      piece("a", 2, "r"),
      piece("b", 3, "s"),
      compaction,
      usage("t", 8),
    );
    expect(emitted(steps)).toEqual(["u", "r: a @1", "s: b @3", "k", "t:  used @8"]);
  });

  test("of subagents there is only what they used", async () => {
    const side = { branch: "sidechain" } as const;
    const steps = await gather(recordedMessage("u", 1, side), { ...piece("a", 2, "r"), ...side }, usage("r", 2, side));
    expect(emitted(steps)).toEqual(["r:  used @2"]);
  });
});
