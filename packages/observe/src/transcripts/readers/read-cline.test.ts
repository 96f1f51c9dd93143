import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readClineRequests } from "./cline-requests.ts";
import { type ReadClineOptions, readCline } from "./read-cline.ts";
import type { TranscriptLine } from "./read-lines.ts";
import type { RecordedEntry } from "./recorded.ts";
import { hello } from "./testing/recorded-message.ts";

const toLines = (records: readonly object[]): Readable =>
  Readable.from(
    records.map((record, index): TranscriptLine => ({ kind: "line", number: index + 1, text: JSON.stringify(record) })),
  );
const read = (records: readonly object[], options: ReadClineOptions = {}): Promise<RecordedEntry[]> =>
  Array.fromAsync(readCline(toLines(records), options));
const requestsOf = (...records: readonly object[]): ReturnType<typeof readClineRequests> =>
  readClineRequests(toLines(records));

const user = (text: string, fields: object = {}): object => ({
  role: "user",
  content: [{ type: "text", text }],
  ...fields,
});
const model = (text: string, fields: object = {}): object => ({ role: "assistant", content: text, ...fields });
const request = (ts: number, info: object, fields: object = {}): object => ({
  ts,
  type: "say",
  say: "api_req_started",
  text: JSON.stringify(info),
  ...fields,
});
const used = { tokensIn: 5, tokensOut: 7, cacheWrites: 11, cacheReads: 13, cost: 0.5 };

describe("the editor extension", () => {
  test("what requests used stands in another file, and belongs to the responses in order", async () => {
    const requests = await requestsOf(
      { ts: 1, say: "text", text: "hello" },
      request(2_000, used),
      request(5_000, { ...used, tokensIn: 6 }, { conversationHistoryIndex: 1 }),
    );
    const history = [user("<task>hello</task>"), model("Hi."), user("and?"), model("Bye.")];
    const entries = await read(history, { id: "1793527200000", requests });
    expect(entries[0]).toEqual({
      kind: "session",
      agent: "cline",
      id: "1793527200000",
      startedAtMs: 1_793_527_200_000,
    });
    expect(entries.filter(({ kind }) => kind === "usage")).toEqual([
      {
        kind: "usage",
        branch: "main",
        responseId: "entry-1",
        atMs: 2_000,
        freshTokens: 5,
        cacheReadTokens: 13,
        cacheWriteTokens: 11,
        outputTokens: 7,
        outputCount: "final",
        costUsd: 0.5,
      },
      expect.objectContaining({ responseId: "entry-3", atMs: 5_000, freshTokens: 6 }),
    ]);
    // Messages without a time have that of their request.
    expect(
      entries.find(({ kind, ...entry }) => kind === "message" && "id" in entry && entry.id === "entry-3"),
    ).toMatchObject({ atMs: 5_000 });
  });

  test("a request that failed and was made again was paid for as well", async () => {
    const requests = await requestsOf(
      request(2_000, { ...used, cancelReason: "streaming_failed" }, { conversationHistoryIndex: 0 }),
      request(3_000, used, { conversationHistoryIndex: 0 }),
    );
    const entries = await read([user("hello"), model("Hi.")], { requests });
    expect(entries.filter(({ kind }) => kind === "usage")).toMatchObject([
      { responseId: "entry-1/try-1", outputCount: "provisional" },
      { responseId: "entry-1", outputCount: "final" },
    ]);
  });

  test("messages that were left out from a request on are a compaction that lists the others", async () => {
    const requests = await requestsOf(
      request(2_000, used),
      request(5_000, used, { conversationHistoryIndex: 1 }),
      request(8_000, used, { conversationHistoryIndex: 3, conversationHistoryDeletedRange: [2, 3] }),
    );
    const history = ["1", "2", "3"].flatMap((text) => [user(text), model(text)]);
    const entries = await read(history, { requests });
    expect(entries.find(({ kind }) => kind === "compaction")).toMatchObject({
      trigger: "auto",
      atMs: 8_000,
      kept: { kind: "listed", ids: ["entry-0", "entry-1", "entry-4"] },
    });
  });
});

describe("the newer runtime", () => {
  const head = { version: 1, updated_at: "2026-11-01T00:00:00Z", sessionId: "s1", messages: null };
  const metrics = { inputTokens: 100, outputTokens: 9, cacheReadTokens: 60, cacheWriteTokens: 30, cost: 0.25 };

  test("counts the cache as part of the input", async () => {
    const modelInfo = { id: "model-1", provider: "p" };
    const entries = await read([
      head,
      user("hello", { id: "a", ts: 1_000 }),
      model("Hi.", { id: "b", ts: 2_000, modelInfo, metrics }),
    ]);
    expect(entries).toEqual([
      { kind: "session", agent: "cline", id: "s1", startedAtMs: 1_000, version: "1" },
      hello("a", 1_000),
      {
        kind: "message",
        id: "b",
        parentId: "a",
        branch: "main",
        atMs: 2_000,
        role: "assistant",
        origin: "model",
        blocks: [{ kind: "text", text: "Hi." }],
        responseId: "b",
        model: "model-1",
      },
      {
        kind: "usage",
        branch: "main",
        model: "model-1",
        responseId: "b",
        atMs: 2_000,
        freshTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 9,
        outputCount: "final",
        costUsd: 0.25,
      },
    ]);
  });

  test("a file that is attached is shown as its text, in a result as well", async () => {
    const file = { type: "file", path: "/a", content: "text of a" };
    const result = { type: "tool_result", tool_use_id: "c1", content: [file] };
    const entries = await read([head, { id: "a", role: "user", content: [file, result] }]);
    expect(entries.at(-1)).toMatchObject({
      origin: "tool",
      blocks: [
        { kind: "text", text: "text of a" },
        { kind: "tool_result", content: [{ kind: "text", text: "text of a" }] },
      ],
    });
  });

  test("what stands in place of the first messages is a compaction there", async () => {
    const messages = [
      { role: "user", content: "so far" },
      { id: "b", role: "assistant", content: "two" },
    ];
    const entries = await read(
      [head, user("one", { id: "a" }), model("two", { id: "b" }), user("three", { id: "c" })],
      {
        compaction: { messages, count: 2, atMs: 9_000 },
      },
    );
    expect(entries.slice(-2)).toMatchObject([
      {
        kind: "compaction",
        atMs: 9_000,
        parentId: "b",
        kept: { messages: [{ origin: "summary" }, { origin: "model" }] },
      },
      { id: "c", parentId: "entry-2/compaction" },
    ]);
  });

  test("of two messages with one id, the second is known by its position", async () => {
    const entries = await read([user("one", { id: "m" }), user("two", { id: "m" })]);
    expect(entries.map((entry) => ("id" in entry ? entry.id : undefined)).slice(1)).toEqual(["m", "entry-1"]);
  });

  test("a broken message keeps its place", async () => {
    const broken: TranscriptLine = { kind: "line", number: 2, text: "{" };
    const lines = [{ kind: "line", number: 1, text: JSON.stringify(user("one")) } as const, broken];
    const entries = await Array.fromAsync(readCline(Readable.from([...lines, { ...lines[0]!, number: 3 }])));
    expect(entries.map((entry) => ("id" in entry ? entry.id : entry.kind)).slice(1)).toEqual([
      "entry-0",
      "damage",
      "entry-2",
    ]);
  });
});
