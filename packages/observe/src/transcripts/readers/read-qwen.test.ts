import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readQwen } from "./read-qwen.ts";
import type { RecordedEntry } from "./recorded.ts";

const read = (...records: readonly object[]): Promise<RecordedEntry[]> => {
  const lines = records.map(
    (record, index) => ({ kind: "line", number: index + 1, text: JSON.stringify(record) }) as const,
  );
  return Array.fromAsync(readQwen(Readable.from(lines)));
};

const at = (second: number): string => new Date(second * 1_000).toISOString();
const line = (uuid: string, parentUuid: string | null, fields: object): object => ({
  uuid,
  parentUuid,
  sessionId: "s1",
  timestamp: at(1),
  cwd: "/home/dev",
  version: "0.14.0",
  ...fields,
});
const parts = (role: string, ...all: readonly object[]): object => ({ message: { role, parts: all } });
const user = (uuid: string, parentUuid: string | null, text: string, fields: object = {}): object =>
  line(uuid, parentUuid, { type: "user", ...parts("user", { text }), ...fields });
const usageMetadata = {
  promptTokenCount: 100,
  cachedContentTokenCount: 70,
  candidatesTokenCount: 9,
  totalTokenCount: 109,
};

describe("readQwen", () => {
  test("reads messages, calls, results and what was used", async () => {
    const call = { functionCall: { id: "c1", name: "read_file", args: { path: "a" } } };
    const result = { functionResponse: { id: "c1", name: "read_file", response: { output: "text" } } };
    const entries = await read(
      user("a", null, "hello"),
      line("b", "a", {
        type: "assistant",
        model: "model-1",
        contextWindowSize: 1_000,
        usageMetadata,
        ...parts("model", { text: "why", thought: true, thoughtSignature: "s" }, { text: "Hi." }, call),
      }),
      line("c", "b", { type: "tool_result", ...parts("user", result), toolCallResult: { status: "error" } }),
    );
    const common = { branch: "main", atMs: 1_000 };
    expect(entries).toEqual([
      { kind: "session", agent: "qwen", id: "s1", startedAtMs: 1_000, version: "0.14.0", cwd: "/home/dev" },
      { kind: "message", id: "a", ...common, role: "user", origin: "human", blocks: [{ kind: "text", text: "hello" }] },
      {
        kind: "message",
        id: "b",
        parentId: "a",
        ...common,
        role: "assistant",
        origin: "model",
        blocks: [
          { kind: "thinking", text: "why", signature: "s" },
          { kind: "text", text: "Hi." },
          { kind: "tool_call", callId: "c1", name: "read_file", input: { path: "a" } },
        ],
        responseId: "b",
        model: "model-1",
      },
      {
        kind: "usage",
        responseId: "b",
        ...common,
        freshTokens: 30,
        cacheReadTokens: 70,
        outputTokens: 9,
        outputCount: "final",
        windowTokens: 1_000,
        model: "model-1",
      },
      {
        kind: "message",
        id: "c",
        parentId: "b",
        ...common,
        role: "user",
        origin: "tool",
        blocks: [{ kind: "tool_result", callId: "c1", content: "text", status: "error" }],
      },
    ]);
  });

  test("a compression is a compaction with all that the model saw then", async () => {
    const [entry] = (
      await read(
        user("a", null, "hello"),
        line("b", "a", {
          type: "system",
          subtype: "chat_compression",
          systemPayload: {
            info: { originalTokenCount: 900, newTokenCount: 200 },
            compressedHistory: [
              { role: "user", parts: [{ text: "so far" }] },
              { role: "model", parts: [{ text: "Understood." }] },
              { role: "user", parts: [{ text: "go on" }] },
            ],
          },
        }),
      )
    ).slice(-1);
    expect(entry).toMatchObject({
      kind: "compaction",
      tokensBefore: 900,
      tokensAfter: 200,
      kept: {
        kind: "replacement",
        messages: [{ origin: "summary" }, { origin: "agent" }, { origin: "human", parentId: "b/1" }],
      },
    });
  });

  test("what is not for the model is left out, and its children follow its parent", async () => {
    const entries = await read(
      user("a", null, "hello"),
      line("b", "a", { type: "system", subtype: "ui_telemetry", systemPayload: {} }),
      user("c", "b", "a task has ended", { subtype: "notification" }),
    );
    expect(entries.at(-1)).toMatchObject({ id: "c", parentId: "a", origin: "agent" });
  });

  test("a subagent's file is a session of its own; in another file it is at the side", async () => {
    const of = { isSidechain: true, agentId: "explore-1" };
    const own = await read(user("a", null, "look", of));
    expect(own).toMatchObject([
      { id: "explore-1", parentSession: "s1" },
      { branch: "main", origin: "agent" },
    ]);
    const beside = await read(user("a", null, "hello"), user("b", null, "look", of));
    expect(beside.at(-1)).toMatchObject({ branch: "sidechain" });
  });

  test("a message without content is damage, a response without content is none", async () => {
    const entries = await read(line("a", null, { type: "user" }), line("b", "a", { type: "assistant" }));
    expect(entries.slice(1)).toMatchObject([
      { kind: "damage", reason: "malformed" },
      { kind: "message", blocks: [] },
    ]);
  });
});
