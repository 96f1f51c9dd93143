import { describe, expect, test } from "vitest";
import { type OpencodeMessage, readOpencode } from "./read-opencode.ts";
import type { RecordedEntry } from "./recorded.ts";
import { hello } from "./testing/recorded-message.ts";

const info = { id: "s1", directory: "/home/dev", version: "1.2.0", parentID: "s0", time: { created: 1_000 } };
const read = (...messages: readonly OpencodeMessage[]): Promise<RecordedEntry[]> =>
  Array.fromAsync(readOpencode({ info, messages }));

const user = (id: string, created: number, ...parts: readonly object[]): OpencodeMessage => ({
  kind: "opencode-message",
  info: { id, role: "user", time: { created } },
  parts: parts as OpencodeMessage["parts"],
});
const model = (id: string, created: number, fields: object, ...parts: readonly object[]): OpencodeMessage => ({
  kind: "opencode-message",
  info: { id, role: "assistant", modelID: "model-1", time: { created }, ...fields },
  parts: parts as OpencodeMessage["parts"],
});
const text = (words: string, fields: object = {}): object => ({ type: "text", text: words, ...fields });
const tool = (callID: string, state: object): object => ({ type: "tool", callID, tool: "read", state });
const done = (output: string, time: object = {}): object => ({
  status: "completed",
  input: { filePath: "a" },
  output,
  time: { start: 2_100, end: 2_500, ...time },
});
const tokens = { input: 10, output: 5, reasoning: 2, total: 107, cache: { read: 60, write: 30 } };
const finish = (fields: object = {}): object => ({ type: "step-finish", cost: 0.5, tokens, ...fields });

describe("readOpencode", () => {
  test("reads messages, calls, results and what was used", async () => {
    const entries = await read(
      user("a", 1_500, text("hello")),
      model(
        "b",
        2_000,
        {},
        { type: "step-start" },
        { type: "reasoning", text: "why", metadata: { p: { signature: "s" } } },
        tool("c1", done("x")),
        finish(),
      ),
    );
    const common = { branch: "main", responseId: "b", model: "model-1" };
    expect(entries).toEqual([
      {
        kind: "session",
        agent: "opencode",
        id: "s1",
        startedAtMs: 1_000,
        version: "1.2.0",
        cwd: "/home/dev",
        parentSession: "s0",
      },
      hello("a", 1_500),
      {
        kind: "message",
        id: "b",
        parentId: "a",
        atMs: 2_000,
        role: "assistant",
        origin: "model",
        ...common,
        blocks: [
          { kind: "thinking", text: "why", signature: "s" },
          { kind: "tool_call", callId: "c1", name: "read", input: { filePath: "a" } },
        ],
      },
      {
        kind: "usage",
        atMs: 2_000,
        ...common,
        freshTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 7,
        outputCount: "final",
        reasoningTokens: 2,
        costUsd: 0.5,
      },
      {
        kind: "message",
        id: "b/results",
        parentId: "b",
        branch: "main",
        atMs: 2_500,
        role: "user",
        origin: "tool",
        blocks: [{ kind: "tool_result", callId: "c1", content: "x", status: "ok" }],
      },
    ]);
  });

  test("a message with several steps is as many responses", async () => {
    const step = (words: string): object[] => [{ type: "step-start" }, text(words), finish()];
    const entries = await read(model("b", 2_000, {}, ...step("one"), ...step("two"), { type: "patch" }));
    expect(entries.map((entry) => ("responseId" in entry ? `${entry.kind} ${entry.responseId}` : entry.kind))).toEqual([
      "session",
      "message b",
      "usage b",
      "message b/step-2",
      "usage b/step-2",
    ]);
  });

  test("reasoning is part of the output unless the sum says otherwise", async () => {
    const { total: _, ...older } = tokens;
    const entries = await read(model("b", 2_000, { tokens: older, cost: 0 }, text("hi")));
    expect(entries.at(-1)).toMatchObject({ kind: "usage", outputTokens: 5 });
    expect(entries.at(-1)).toEqual(expect.not.objectContaining({ costUsd: expect.anything() }));
  });

  test("a compaction comes about with its summary; what that used is at the side", async () => {
    const asked = user("c", 3_000, { type: "compaction", auto: true, tail_start_id: "b" });
    const summary = model("d", 3_100, { summary: true, finish: "stop", tokens }, text("so far"));
    const entries = await read(
      user("a", 1_500, text("hello")),
      model("b", 2_000, {}, text("hi")),
      asked,
      summary,
      user("e", 4_000, text("go on")),
    );
    expect(entries.slice(3)).toMatchObject([
      { kind: "usage", branch: "sidechain", responseId: "d" },
      { kind: "compaction", id: "c", parentId: "b", trigger: "auto", kept: { kind: "range", firstId: "b" } },
      { kind: "message", id: "d", parentId: "c", origin: "summary", role: "assistant" },
      { kind: "message", id: "e", parentId: "d" },
    ]);
    const failed = await read(
      asked,
      model("d", 3_100, { summary: true, error: { name: "x" } }),
      user("e", 4_000, text("go on")),
    );
    expect(failed.map(({ kind }) => kind)).toEqual(["session", "message"]);
  });

  test("results that were pruned are told when they were", async () => {
    const pruned = (callId: string, at: number): object => tool(callId, done("x", { compacted: at }));
    const entries = await read(
      model("b", 2_000, {}, pruned("c1", 5_000), pruned("c2", 5_000), pruned("c3", 9_000)),
      user("d", 6_000, text("go on")),
    );
    expect(entries.slice(3)).toMatchObject([
      { kind: "microcompaction", atMs: 5_000, clearedCallIds: ["c1", "c2"] },
      { kind: "message", id: "d", parentId: "pruned-5000" },
      { kind: "microcompaction", atMs: 9_000, clearedCallIds: ["c3"] },
    ]);
  });

  test("text that the agent put in is not the user's; an image is one, a text file is its text", async () => {
    const image = { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" };
    const file = { type: "file", mime: "text/plain", url: "data:text/plain;base64,AAAA" };
    const entries = await read(
      user("a", 1_500, text("look"), text("(hidden)", { ignored: true }), image, file),
      user("b", 1_600, text("Continue.", { synthetic: true })),
    );
    expect(entries.slice(1)).toMatchObject([
      {
        origin: "human",
        blocks: [
          { kind: "text", text: "look" },
          { kind: "image", sizeBytes: 3 },
        ],
      },
      { origin: "agent" },
    ]);
  });

  test("a call that was never answered has no result, a failed one has its error", async () => {
    const entries = await read(
      model(
        "b",
        2_000,
        {},
        tool("c1", { status: "running", input: {} }),
        tool("c2", { status: "error", input: {}, error: "no" }),
      ),
    );
    expect(entries.at(-1)).toMatchObject({
      blocks: [{ kind: "tool_result", callId: "c2", content: "no", status: "error" }],
    });
  });
});
