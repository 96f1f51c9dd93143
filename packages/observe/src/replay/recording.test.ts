import { expect, test } from "vitest";
import type { RecordedEntry, RecordedMessage } from "../transcripts/readers/recorded.ts";
import { toRecording } from "./recording.ts";
import { sampleRecording } from "./testing/sample-recording.ts";

const SESSION: RecordedEntry = { kind: "session", agent: "claude-code", id: "s", startedAtMs: 0, cwd: "/repo" };
let lines = 0;
const message = (fields: Partial<RecordedMessage>): RecordedMessage => {
  lines++;
  return {
    kind: "message",
    id: `u${lines}`,
    branch: "main",
    atMs: lines * 1_000,
    role: "user",
    origin: "human",
    blocks: [],
    ...fields,
  } as RecordedMessage;
};
const says = (text: string, fields: Partial<RecordedMessage> = {}): RecordedMessage =>
  message({ blocks: [{ kind: "text", text }], ...fields });
const calls = (responseId: string, ...ids: string[]): RecordedMessage =>
  message({
    role: "assistant",
    origin: "model",
    responseId,
    blocks: ids.map((callId) => ({ kind: "tool_call", callId, name: "Read", input: { file_path: callId } })),
  });
const result = (callId: string, content = callId): RecordedMessage =>
  message({ origin: "tool", blocks: [{ kind: "tool_result", callId, content, status: "ok" }] });
const used = (responseId: string, contextTokens: number): RecordedEntry => ({
  kind: "usage",
  responseId,
  branch: "main",
  atMs: 0,
  freshTokens: 0,
  cacheReadTokens: contextTokens,
  outputTokens: 1,
  outputCount: "final",
});

test("a response is one item, however its lines and the results of its first calls lie", () => {
  const entries = [SESSION, says("Go."), calls("r1", "a"), result("a"), calls("r1", "b"), used("r1", 9), result("b")];
  const { rounds, items } = toRecording([...entries, calls("r2", "c"), used("r2", 20)])!;
  expect(rounds.map(({ arrivals, response }) => [arrivals.length, response.blocks.length])).toEqual([
    [1, 2],
    [2, 1],
  ]);
  expect(rounds[1]!.sentAtMs).toBe(items.findLast(({ origin }) => origin === "tool")!.atMs);
});

test("what the agent folded or wrote by itself is not part of it", () => {
  const { items, rounds } = toRecording([
    SESSION,
    says("Go."),
    calls("r1", "a"),
    used("r1", 9),
    result("a"),
    { kind: "compaction", id: "k", branch: "main", atMs: 5_000, trigger: "auto", kept: { kind: "nothing" } },
    says("This session continues ...", { origin: "summary" }),
    says("Overloaded.", { role: "assistant", origin: "agent", responseId: "none" }),
    says("Elsewhere.", { branch: "sidechain" }),
    result("never-called"),
    calls("r2", "b"),
    used("r2", 5),
  ])!;
  expect(items.map(({ origin }) => origin)).toEqual(["human", "model", "tool", "model"]);
  expect(rounds.map(({ follows }) => follows)).toEqual(["round", "compaction"]);
});

test("a recording that begins in mid-session begins with its summary, or with the first words that were recorded", () => {
  const summary = says("This session continues ...", { origin: "summary" });
  const begun = toRecording([
    SESSION,
    summary,
    calls("r1", "a"),
    used("r1", 9),
    result("a"),
    calls("r2"),
    used("r2", 9),
  ])!;
  expect(begun.items.map(({ origin }) => origin)).toEqual(["host", "model", "tool", "model"]);
  const entries = [calls("r1", "a"), used("r1", 9), says("Go."), calls("r2", "b"), used("r2", 9)];
  expect(toRecording([SESSION, ...entries])!.rounds.map(({ arrivals }) => arrivals.length)).toEqual([1]);
});

test("thinking keeps its size: by its signature, by its text, or by the provider's count for the whole response", async () => {
  const thinks = (responseId: string, ...blocks: { readonly text: string; readonly signature?: string }[]) =>
    message({
      role: "assistant",
      origin: "model",
      responseId,
      blocks: [...blocks.map((block) => ({ kind: "thinking" as const, ...block })), { kind: "text", text: responseId }],
    });
  const { rounds } = toRecording([
    SESSION,
    says("Go."),
    thinks("r1", { text: "", signature: "s".repeat(1_000) }),
    used("r1", 9),
    says("On."),
    thinks("r2", { text: "x".repeat(200) }),
    used("r2", 20),
    says("On."),
    thinks("r3", { text: "" }, { text: "" }),
    { ...used("r3", 30), reasoningTokens: 380 } as RecordedEntry,
    says("On."),
    thinks("r4", { text: "" }),
    used("r4", 40),
  ])!;
  const characters = rounds.map(({ response }) =>
    response.blocks.flatMap((block) => (block.kind === "thinking" ? [block.signature!.length] : [])),
  );
  expect(characters).toEqual([[1_000], [600], [1_000, 1_000], []]);
});

test("sizes of text are fitted next to thinking", async () => {
  const { sizes } = await sampleRecording({ rounds: 60, signatureCharacters: 3_000 });
  expect(sizes.bytesPerToken).toBeCloseTo(3, 1);
});

test("a transcript in which nothing was answered is no recording", () => {
  expect(toRecording([SESSION, says("Hello?")])).toBeUndefined();
});

test("sizes are fitted to what the provider counted", async () => {
  const { sizes, rounds } = await sampleRecording({ rounds: 60, headTokens: 17_000 });
  expect(sizes.bytesPerToken).toBeCloseTo(3, 1);
  expect(sizes.headTokens).toBeGreaterThan(16_800);
  expect(sizes.headTokens).toBeLessThan(17_200);
  expect(rounds).toHaveLength(60);
});
