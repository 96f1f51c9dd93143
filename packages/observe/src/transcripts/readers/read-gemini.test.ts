import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { type ReadGeminiOptions, readGemini } from "./read-gemini.ts";
import type { RecordedEntry } from "./recorded.ts";
import { hello } from "./testing/recorded-message.ts";

const read = (records: readonly object[], options: ReadGeminiOptions = {}): Promise<RecordedEntry[]> => {
  const lines = records.map(
    (record, index) => ({ kind: "line", number: index + 1, text: JSON.stringify(record) }) as const,
  );
  return Array.fromAsync(readGemini(Readable.from(lines), options));
};

const at = (second: number): string => new Date(second * 1_000).toISOString();
const head = (fields: object = {}): object => ({ sessionId: "s1", projectHash: "p", startTime: at(1), ...fields });
const says = (id: string, second: number, text: string): object => ({
  id,
  timestamp: at(second),
  type: "user",
  content: [{ text }],
});
const answers = (id: string, second: number, fields: object = {}): object => ({
  id,
  timestamp: at(second),
  type: "gemini",
  content: "Hi.",
  model: "model-1",
  ...fields,
});
const tokens = { input: 100, cached: 60, output: 10, thoughts: 5, tool: 2, total: 117 };
const call = (result: unknown, fields: object = {}): object => ({
  id: "c1",
  name: "read_file",
  args: { path: "a" },
  status: "success",
  timestamp: at(9),
  result,
  ...fields,
});
const response = (output: unknown): object[] => [
  { functionResponse: { id: "c1", name: "read_file", response: output } },
];
const kinds = (entries: readonly RecordedEntry[]): string[] => entries.map(({ kind }) => kind);
const results = async (toolCall: object): Promise<unknown> => {
  const entries = await read([head(), answers("b", 3, { toolCalls: [toolCall] })]);
  return entries.flatMap((entry) => (entry.kind === "message" && entry.origin === "tool" ? entry.blocks : []));
};

describe("readGemini", () => {
  test("reads a message once, with all that was added to it", async () => {
    const entries = await read([
      head(),
      says("a", 2, "hello"),
      answers("b", 3),
      { $set: { lastUpdated: at(4) } },
      answers("b", 3, { tokens, thoughts: [{ subject: "S", description: "why" }] }),
      answers("b", 3, {
        tokens,
        thoughts: [{ subject: "S", description: "why" }],
        toolCalls: [call(response({ output: "x" }))],
      }),
    ]);
    const calls = { kind: "tool_call", callId: "c1", name: "read_file", input: { path: "a" } };
    const common = { branch: "main", model: "model-1", responseId: "b" };
    expect(entries).toEqual([
      { kind: "session", agent: "gemini", id: "s1", startedAtMs: 1_000 },
      hello("a", 2_000),
      {
        kind: "message",
        id: "b",
        parentId: "a",
        atMs: 3_000,
        role: "assistant",
        origin: "model",
        ...common,
        blocks: [{ kind: "thinking", text: "S\nwhy" }, { kind: "text", text: "Hi." }, calls],
      },
      {
        kind: "usage",
        atMs: 3_000,
        ...common,
        freshTokens: 42,
        cacheReadTokens: 60,
        outputTokens: 15,
        outputCount: "final",
        reasoningTokens: 5,
      },
      {
        kind: "message",
        id: "b/results",
        parentId: "b",
        branch: "main",
        atMs: 9_000,
        role: "user",
        origin: "tool",
        blocks: [{ kind: "tool_result", callId: "c1", content: "x", status: "ok" }],
      },
    ]);
  });

  test.each([
    ["a text", call("plain"), [{ kind: "tool_result", callId: "c1", content: "plain", status: "ok" }]],
    [
      "an error",
      call(response({ error: "no" }), { status: "error" }),
      [{ kind: "tool_result", callId: "c1", content: "no", status: "error" }],
    ],
    ["nothing yet", call(undefined), []],
    [
      "an image beside it",
      call([...response({ output: "see" }), { inlineData: { mimeType: "image/png", data: "AAAA" } }]),
      [
        {
          kind: "tool_result",
          callId: "c1",
          status: "ok",
          content: [
            { kind: "text", text: "see" },
            { kind: "image", mediaType: "image/png", sizeBytes: 3 },
          ],
        },
      ],
    ],
    [
      "another value",
      call(response({ lines: 7 })),
      [
        {
          kind: "tool_result",
          callId: "c1",
          status: "ok",
          content: [{ kind: "opaque", type: "response", value: { lines: 7 } }],
        },
      ],
    ],
  ])("reads a result that is %s", async (_, toolCall, expected) => {
    expect(await results(toolCall)).toEqual(expected);
  });

  test("counts thoughts beside the output, unless the sum says that they are part of it", async () => {
    const used = async (total: number): Promise<unknown> =>
      (await read([head(), answers("b", 3, { tokens: { ...tokens, tool: 0, total } })])).find(
        ({ kind }) => kind === "usage",
      );
    expect(await used(115)).toMatchObject({ outputTokens: 15 });
    expect(await used(110)).toMatchObject({ outputTokens: 10 });
  });

  test("what the display alone shows is left out", async () => {
    const info = { id: "i", timestamp: at(2), type: "info", content: "Update available." };
    expect(kinds(await read([head(), info, says("a", 3, "hello")]))).toEqual(["session", "message"]);
  });

  test("a rewind leads to before the message it names", async () => {
    const entries = await read([
      head(),
      says("a", 2, "one"),
      says("b", 3, "two"),
      { $rewindTo: "b" },
      says("c", 4, "three"),
    ]);
    expect(entries.at(-1)).toMatchObject({ id: "c", parentId: "a" });
    const unknown = await read([head(), says("a", 2, "one"), { $rewindTo: "x" }, says("c", 4, "three")]);
    expect(unknown.at(-1)).toEqual(expect.not.objectContaining({ parentId: expect.anything() }));
  });

  test("another history in place of the conversation is a compaction", async () => {
    const messages = [says("n", 5, "so far"), answers("m", 5, { content: "Got it." }), says("b", 3, "two")];
    const entries = await read([
      head(),
      says("a", 2, "one"),
      says("b", 3, "two"),
      { $set: { messages, lastUpdated: at(6) } },
      says("c", 7, "three"),
    ]);
    expect(entries.at(-2)).toMatchObject({
      kind: "compaction",
      id: "entry-3",
      parentId: "b",
      atMs: 6_000,
      kept: {
        kind: "replacement",
        messages: [{ origin: "summary" }, { origin: "agent", role: "assistant" }, { origin: "human" }],
      },
    });
    expect(entries.at(-1)).toMatchObject({ id: "c", parentId: "entry-3" });
  });

  test("the same history with a result cut is a microcompaction", async () => {
    const whole = answers("b", 3, { toolCalls: [call(response({ output: "x".repeat(100) }))] });
    const masked = answers("b", 3, { toolCalls: [call(response({ output: "(cut)" }))] });
    const entries = await read([
      head(),
      says("a", 2, "one"),
      whole,
      { $set: { messages: [says("a", 2, "one"), masked] } },
    ]);
    expect(entries.at(-1)).toMatchObject({ kind: "microcompaction", clearedCallIds: ["c1"] });
  });

  test("a subagent names its session where the place of the file tells", async () => {
    const parent = { parentSession: "s0" };
    expect((await read([head({ kind: "subagent" })], parent))[0]).toMatchObject(parent);
    expect((await read([head({ kind: "main" })], parent))[0]).toEqual(
      expect.not.objectContaining({ parentSession: expect.anything() }),
    );
  });
});
