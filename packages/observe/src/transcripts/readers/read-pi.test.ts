import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readPi } from "./read-pi.ts";
import type { RecordedEntry } from "./recorded.ts";

const read = (...records: object[]): Promise<RecordedEntry[]> => {
  const lines = records.map(
    (record, index) => ({ kind: "line", number: index + 1, text: JSON.stringify(record) }) as const,
  );
  return Readable.from(readPi(Readable.from(lines))).toArray();
};

const at = (second: number): { timestamp: string } => ({ timestamp: new Date(second * 1000).toISOString() });
const header = (fields: object = {}): object => ({ type: "session", id: "s1", cwd: "/home/dev", ...at(1), ...fields });
const says = (role: string, content: unknown, fields: object = {}): object => ({
  type: "message",
  ...at(2),
  message: { role, content },
  ...fields,
});
const node = (id: string, parentId: string | null): object => ({ id, parentId });
const answer = (fields: object = {}): object => ({
  type: "message",
  ...at(3),
  message: {
    role: "assistant",
    model: "model-1",
    content: [{ type: "text", text: "hi" }],
    usage: { input: 1, cacheRead: 200, cacheWrite: 30, output: 9 },
    stopReason: "stop",
    ...fields,
  },
});

describe("readPi", () => {
  test("reads a session, its messages and what they used", async () => {
    expect(await read(header(), says("user", "hello"), answer())).toEqual([
      { kind: "session", agent: "pi", id: "s1", startedAtMs: 1000, version: "1", cwd: "/home/dev" },
      {
        kind: "message",
        id: "entry-1",
        branch: "main",
        atMs: 2000,
        role: "user",
        origin: "human",
        blocks: [{ kind: "text", text: "hello" }],
      },
      {
        kind: "message",
        id: "entry-2",
        parentId: "entry-1",
        branch: "main",
        atMs: 3000,
        role: "assistant",
        origin: "model",
        responseId: "entry-2",
        model: "model-1",
        blocks: [{ kind: "text", text: "hi" }],
      },
      {
        kind: "usage",
        responseId: "entry-2",
        branch: "main",
        atMs: 3000,
        model: "model-1",
        freshTokens: 1,
        cacheReadTokens: 200,
        cacheWriteTokens: 30,
        outputTokens: 9,
        outputCount: "final",
      },
    ]);
  });

  test("reads the tree of later versions, over entries the model never saw", async () => {
    const entries = await read(
      header({ version: 3 }),
      says("user", "hello", node("a", null)),
      { type: "model_change", modelId: "model-2", ...node("b", "a"), ...at(3) },
      says("user", "left", node("c", "b")),
      says("user", "right", node("d", "a")),
    );
    expect(entries).toMatchObject([
      { kind: "session", version: "3" },
      { id: "a" },
      { id: "c", parentId: "a" },
      { id: "d", parentId: "a" },
    ]);
    expect(entries[1]).toEqual(expect.not.objectContaining({ parentId: expect.anything() }));
  });

  test.each([
    ["tool", "a result", says("toolResult", "x")],
    ["agent", "a command the user ran", says("bashExecution", undefined)],
    ["agent", "what an extension put in", { type: "custom_message", content: "x", ...at(2) }],
    ["agent", "what a hook put in", says("hookMessage", "x")],
    ["summary", "the summary of a branch left", { type: "branch_summary", summary: "x", ...at(2) }],
  ])("finds %s origin in %s", async (origin, _, record) => {
    expect(await read(record)).toMatchObject([{ kind: "message", role: "user", origin }]);
  });

  test("reads a result", async () => {
    const message = { role: "toolResult", toolCallId: "c1", isError: true, content: [{ type: "text", text: "no" }] };
    expect(await read({ type: "message", message, ...at(2) })).toMatchObject([
      { blocks: [{ kind: "tool_result", callId: "c1", content: [{ kind: "text", text: "no" }], status: "error" }] },
    ]);
  });

  test("passes over a command that was kept from the model", async () => {
    const message = { role: "bashExecution", command: "env", output: "x", excludeFromContext: true };
    expect(await read({ type: "message", message, ...at(2) })).toEqual([]);
  });

  test.each([
    ["no usage before the provider reported any", { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, []],
    ["a provisional output", { input: 1, output: 2 }, [{ outputTokens: 2, outputCount: "provisional" }]],
  ])("has %s when a response was interrupted", async (_, usage, expected) => {
    const entries = await read(answer({ stopReason: "aborted", content: [], usage }));
    expect(entries.filter((entry) => entry.kind === "usage")).toMatchObject(expected);
    expect(entries[0]).toMatchObject({ kind: "message", blocks: [] });
  });

  test.each([
    ["by number", { firstKeptEntryIndex: 2 }, { kind: "range", firstId: "entry-2" }],
    ["by id", { firstKeptEntryId: "x" }, { kind: "range", firstId: "x" }],
    ["not at all", {}, { kind: "nothing" }],
  ])("reads a compaction that names what it kept %s", async (_, fields, kept) => {
    const compaction = { type: "compaction", summary: "so far", tokensBefore: 150_000, ...fields, ...at(4) };
    const entries = await read(header(), says("user", "one"), says("user", "two"), compaction, says("user", "three"));
    expect(entries.slice(3)).toMatchObject([
      { kind: "compaction", id: "entry-3", parentId: "entry-2", trigger: "unknown", tokensBefore: 150_000, kept },
      { kind: "message", parentId: "entry-3", origin: "summary", blocks: [{ kind: "text", text: "so far" }] },
      { kind: "message", parentId: "entry-3", origin: "human" },
    ]);
  });

  test("marks what a fork copied by its time", async () => {
    const entries = await read(
      header({ branchedFrom: "/sessions/s0.jsonl", ...at(10) }),
      answer(),
      says("user", "on my own", at(11)),
    );
    expect(entries).toMatchObject([
      { kind: "session", parentSession: "/sessions/s0.jsonl" },
      { kind: "message", branch: "inherited" },
      { kind: "usage", branch: "inherited" },
      { kind: "message", branch: "main" },
    ]);
  });

  test("does not take the first messages for copies because the header was written after them", async () => {
    expect(await read(header(at(10)), answer())).toMatchObject([{}, { branch: "main" }, { branch: "main" }]);
  });

  test("reports a message without content and links over it", async () => {
    const entries = await read(
      says("user", "hello"),
      { type: "message", message: 7, ...at(2) },
      says("user", "again", at(3)),
    );
    expect(entries).toMatchObject([
      { id: "entry-0" },
      { kind: "damage", line: 2, reason: "malformed" },
      { id: "entry-2", parentId: "entry-0" },
    ]);
  });
});
