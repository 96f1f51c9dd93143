import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTranscript } from "./read-transcript.ts";
import { RECORDED_AGENTS, type RecordedEntry } from "./recorded.ts";
import { UnknownTranscriptError } from "./transcript-errors.ts";

const timestamp = "2026-01-01T00:00:00.000Z";
const chained = { uuid: "u1", parentUuid: null, sessionId: "s1", isSidechain: false, timestamp };
const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
const info = { total_token_usage: usage, last_token_usage: usage };

/** For each agent, one record of every kind that its reader knows. */
const SAMPLES = {
  "claude-code": [
    { type: "summary", summary: "A title", leafUuid: "u0" },
    { ...chained, type: "user", message: { role: "user", content: "hello" }, origin: { kind: "human" } },
    {
      ...chained,
      uuid: "u2",
      parentUuid: "u1",
      type: "assistant",
      forkedFrom: { sessionId: "s0" },
      message: {
        id: "r1",
        model: "model-1",
        content: [
          { type: "thinking", thinking: "why", signature: "x" },
          { type: "tool_use", id: "c1", name: "read", input: {} },
        ],
        usage: { ...usage, cache_creation: { ephemeral_1h_input_tokens: 3 } },
        stop_reason: "tool_use",
      },
    },
    {
      ...chained,
      uuid: "u3",
      type: "user",
      message: {
        content: [
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [{ type: "image", source: { media_type: "image/png", data: "AAAA" } }],
          },
        ],
      },
    },
    {
      ...chained,
      uuid: "u4",
      type: "attachment",
      attachment: { type: "queued_command", commandMode: "prompt", prompt: "x" },
    },
    { ...chained, uuid: "u5", type: "progress", agentId: "a1" },
    {
      ...chained,
      uuid: "u6",
      type: "system",
      subtype: "microcompact_boundary",
      microcompactMetadata: { preTokens: 1, tokensSaved: 1, compactedToolIds: ["c1"] },
    },
    {
      ...chained,
      uuid: "u7",
      type: "system",
      subtype: "compact_boundary",
      logicalParentUuid: "u6",
      compactMetadata: {
        trigger: "auto",
        preTokens: 1,
        preservedMessages: { uuids: ["u5"] },
        preservedSegment: { headUuid: "u4", tailUuid: "u5" },
      },
    },
    { ...chained, uuid: "u8", type: "system", subtype: "local_command", content: "<bash-stdout>" },
  ],
  codex: [
    { timestamp, type: "session_meta", payload: { id: "019b", cwd: "/", base_instructions: { text: "Be brief." } } },
    { timestamp, type: "session_meta", payload: { id: "019a" } },
    { timestamp, type: "turn_context", payload: { turn_id: "019c", model: "model-1" } },
    {
      timestamp,
      type: "response_item",
      payload: { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
    },
    {
      timestamp,
      type: "response_item",
      payload: { type: "reasoning", summary: [{ text: "a" }], encrypted_content: "x" },
    },
    { timestamp, type: "response_item", payload: { type: "function_call", call_id: "c1", name: "f", arguments: "{}" } },
    {
      timestamp,
      type: "response_item",
      payload: { type: "function_call_output", call_id: "c1", output: { content: "ok", success: true } },
    },
    { timestamp, type: "event_msg", payload: { type: "token_count", info } },
    {
      timestamp,
      type: "compacted",
      payload: { message: "so far", replacement_history: [{ type: "message", role: "user", content: "so far" }] },
    },
    { timestamp, type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
  ],
  pi: [
    { type: "session", id: "s1", version: 3, cwd: "/", timestamp, parentSession: "s0" },
    { type: "message", id: "a", parentId: null, timestamp, message: { role: "user", content: "hello" } },
    {
      type: "message",
      id: "b",
      parentId: "a",
      timestamp,
      message: {
        role: "assistant",
        model: "model-1",
        content: [{ type: "toolCall", id: "c1", name: "f", arguments: {} }],
        usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
        stopReason: "toolUse",
      },
    },
    {
      type: "message",
      id: "c",
      parentId: "b",
      timestamp,
      message: { role: "toolResult", toolCallId: "c1", content: [{ type: "text", text: "ok" }], isError: false },
    },
    {
      type: "message",
      id: "d",
      parentId: "c",
      timestamp,
      message: { role: "bashExecution", command: "ls", output: "x" },
    },
    {
      type: "compaction",
      id: "e",
      parentId: "d",
      timestamp,
      summary: "so far",
      firstKeptEntryId: "c",
      tokensBefore: 1,
    },
    { type: "branch_summary", id: "f", parentId: "e", timestamp, summary: "left" },
  ],
  gemini: [
    { sessionId: "s1", projectHash: "p", startTime: timestamp, kind: "subagent" },
    { id: "a", timestamp, type: "user", content: [{ text: "hello" }] },
    {
      id: "b",
      timestamp,
      type: "gemini",
      content: "Hi.",
      model: "model-1",
      thoughts: [{ subject: "S", description: "why" }],
      tokens: { input: 10, cached: 5, output: 3, thoughts: 2, tool: 1, total: 16 },
      toolCalls: [
        {
          id: "c1",
          name: "f",
          args: {},
          status: "success",
          timestamp,
          result: [
            { functionResponse: { id: "c1", name: "f", response: { output: "ok" } } },
            { inlineData: { mimeType: "image/png", data: "AAAA" } },
          ],
        },
      ],
    },
    { id: "c", timestamp, type: "info", content: "note" },
    { $set: { messages: [{ id: "d", timestamp, type: "user", content: "so far" }], lastUpdated: timestamp } },
    { $rewindTo: "d" },
    { id: "e", timestamp, type: "gemini", content: [{ text: "why", thought: true }, { functionCall: { id: "c2" } }] },
  ],
  qwen: [
    {
      uuid: "a",
      parentUuid: null,
      sessionId: "s1",
      timestamp,
      type: "user",
      cwd: "/",
      version: "0.14.0",
      message: { role: "user", parts: [{ text: "hello" }] },
    },
    {
      uuid: "b",
      parentUuid: "a",
      sessionId: "s1",
      timestamp,
      type: "assistant",
      model: "model-1",
      message: { role: "model", parts: [{ text: "why", thought: true }, { functionCall: { id: "c1", name: "f" } }] },
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
      contextWindowSize: 99,
    },
    {
      uuid: "c",
      parentUuid: "b",
      sessionId: "s1",
      timestamp,
      type: "tool_result",
      message: { role: "user", parts: [{ functionResponse: { id: "c1", name: "f", response: { output: "ok" } } }] },
      toolCallResult: { status: "success" },
    },
    {
      uuid: "d",
      parentUuid: "c",
      sessionId: "s1",
      timestamp,
      type: "system",
      subtype: "chat_compression",
      systemPayload: {
        info: { originalTokenCount: 9, newTokenCount: 3 },
        compressedHistory: [{ role: "user", parts: [{ text: "so far" }] }],
      },
    },
    { uuid: "e", parentUuid: "d", sessionId: "s1", timestamp, type: "system", subtype: "rewind", systemPayload: {} },
    {
      uuid: "f",
      parentUuid: "e",
      sessionId: "s1",
      timestamp,
      type: "user",
      isSidechain: true,
      agentId: "x",
      message: { role: "user", parts: [{ text: "look" }] },
    },
  ],
  cline: [
    { version: 1, updated_at: timestamp, sessionId: "s1", messages: null },
    {
      id: "a",
      role: "user",
      ts: 1,
      content: [
        { type: "text", text: "hello" },
        { type: "file", content: "text" },
      ],
    },
    {
      id: "b",
      role: "assistant",
      ts: 2,
      content: [{ type: "tool_use", id: "c1", name: "f", input: {} }],
      modelInfo: { id: "model-1" },
      metrics: { inputTokens: 9, outputTokens: 2, cacheReadTokens: 3, cost: 0.1 },
    },
    { id: "c", role: "user", ts: 3, content: [{ type: "tool_result", tool_use_id: "c1", content: "ok" }] },
  ],
  proxy: [
    { proxy: 1, id: "t1", api: "messages", upstream: "service", atMs: 1, session: "s1", agent: "a1" },
    {
      type: "request",
      relation: "begins",
      number: 1,
      atMs: 2,
      model: "model-1",
      bytes: 99,
      echoed: 0,
      items: [
        { role: "user", content: "hello" },
        { role: "assistant", content: [{ type: "text", text: "Hi." }] },
        { role: "user", content: "look" },
      ],
    },
    {
      type: "response",
      number: 1,
      atMs: 3,
      id: "r1",
      model: "model-1",
      items: [{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: {} }] }],
      usage,
      ended: "whole",
    },
    {
      type: "request",
      relation: "continues",
      kept: 3,
      number: 2,
      atMs: 4,
      echoed: 1,
      items: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "ok" }] }],
    },
    { type: "break", atMs: 5, causes: ["pause"], rebilledTokens: 9 },
    { type: "request", relation: "cleared", kept: 5, calls: ["c1"], number: 3, atMs: 6, echoed: 0, items: [] },
    {
      type: "request",
      relation: "branches",
      kept: 1,
      number: 4,
      atMs: 7,
      echoed: 0,
      items: [{ role: "user", content: "no" }],
    },
    {
      type: "request",
      relation: "replaced",
      number: 5,
      atMs: 8,
      echoed: 0,
      items: [{ role: "user", content: "so far" }],
    },
  ],
} satisfies Record<string, object[]>;

const toBytes = (records: readonly unknown[]): Buffer =>
  Buffer.from(records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n"));
const read = (chunks: Uint8Array[]): Promise<RecordedEntry[]> =>
  Readable.from(readTranscript(Readable.from(chunks))).toArray();
const cut = (bytes: Buffer, size: number): Buffer[] =>
  bytes.length <= size ? [bytes] : [bytes.subarray(0, size), ...cut(bytes.subarray(size), size)];

describe.each(Object.entries(SAMPLES))("a transcript of %s", (agent, records: object[]) => {
  test("is recognised", async () => {
    const entries = await read([toBytes(records)]);
    expect(entries.find((entry) => entry.kind === "session")).toMatchObject({ agent });
    expect(checkEntries(entries)).toEqual([]);
    expect(entries.some((entry) => entry.kind === "damage")).toBe(false);
  });

  test("is recognised behind damage and lines that do not tell", async () => {
    const before = ["\0\0\0", "", '{"type":"mode"}', "{"];
    const entries = await read([toBytes([...before, ...records])]);
    expect(entries.slice(0, 2)).toEqual([
      { kind: "damage", line: 1, reason: "not-json" },
      ...(agent === "codex"
        ? [{ kind: "damage", line: 3, reason: "malformed" }]
        : [{ kind: "damage", line: 4, reason: "not-json" }]),
    ]);
    expect(entries.find((entry) => entry.kind === "session")).toMatchObject({ agent });
  });

  test("loses only the line that is damaged", async () => {
    for (const [index] of records.entries()) {
      const whole = await read([toBytes(records)]);
      const [head, tail] = [records.slice(0, index + 1), records.slice(index + 1)];
      const entries = await read([toBytes([...head, '{"type":"us', ...tail])]);
      expect(entries).toContainEqual({ kind: "damage", line: index + 2, reason: "not-json" });
      expect(entries.filter((entry) => entry.kind !== "damage")).toEqual(whole);
    }
  });

  test("never gives more for a line written twice", async () => {
    const whole = await read([toBytes(records)]);
    const doubled = await read([toBytes(records.flatMap((record) => [record, record]))]);
    expect(doubled.map((entry) => entry.kind)).toEqual(whole.map((entry) => entry.kind));
  });

  test("gives valid entries whatever stands in any of its fields", async () => {
    for (const [index, record] of records.entries()) {
      for (const changed of withEachFieldChanged(record)) {
        const entries = await readAny([toBytes(records.with(index, changed as object))]);
        expect(checkEntries(entries), JSON.stringify(changed)).toEqual([]);
      }
    }
  });

  test("survives values nested deeper than a stack", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const record of records) {
      const line = JSON.stringify(record).replace(/"(content|input|payload|message|summary)":/, `"$1":${deep},"rest":`);
      const entries = await read([toBytes([...records, line])]);
      expect(entries.length).toBeGreaterThan(0);
    }
  });

  test("is the same however its bytes are cut and compressed", async () => {
    const bytes = toBytes(records);
    const whole = await read([bytes]);
    const compressed = zstdCompressSync(bytes);
    for (const size of [1, 2, 3, 5, 100]) {
      expect(await read(cut(bytes, size))).toEqual(whole);
      expect(await read(cut(compressed, size))).toEqual(whole);
    }
  });

  test("is read up to where its compressed form is broken", async () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `{"note":${index * 7919}}`);
    const compressed = zstdCompressSync(toBytes([...records, ...long]));
    const entries = await read([compressed.subarray(0, compressed.length >> 1)]);
    expect(entries.find((entry) => entry.kind === "session")).toMatchObject({ agent });
    expect(entries.findLast((entry) => entry.kind === "damage")).toMatchObject({ reason: "cut-off" });
  });
});

describe("readTranscript", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "palimpsest-import-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("reads files by path and by URL, plain and compressed", async () => {
    const bytes = toBytes(SAMPLES.pi);
    const whole = await read([bytes]);
    const plain = join(folder, "session.jsonl");
    const compressed = join(folder, "session.jsonl.zst");
    await writeFile(plain, bytes);
    await writeFile(compressed, zstdCompressSync(bytes));
    for (const source of [plain, compressed, pathToFileURL(plain)]) {
      expect(await Readable.from(readTranscript(source)).toArray()).toEqual(whole);
    }
  });

  test("throws the error of the file system for a missing file", async () => {
    await expect(readTranscript(join(folder, "missing")).next()).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("throws the error of the source, before or behind the first line", async () => {
    async function* failing(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
      yield* chunks;
      throw new Error("disk on fire");
    }
    const bytes = toBytes(SAMPLES.pi);
    for (const chunks of [[], [bytes], [zstdCompressSync(bytes)]]) {
      await expect(Readable.from(readTranscript(failing(...chunks))).toArray()).rejects.toThrow("disk on fire");
    }
  });

  test.each([0, 1, 3])("closes its source when left after %i entries", async (count) => {
    for (const encode of [(bytes: Buffer) => bytes, zstdCompressSync]) {
      let closed = false;
      const bytes = encode(toBytes(SAMPLES.pi));
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          yield bytes;
          yield new Uint8Array();
        } finally {
          closed = true;
        }
      }
      const entries = readTranscript(source());
      for (let index = 0; index <= count; index += 1) await entries.next();
      await entries.return(undefined);
      expect(closed).toBe(true);
    }
  });

  test.each([
    ["nothing", "", { lineCount: 0, firstLine: "" }],
    ["blank lines", "\n\n", { lineCount: 2, firstLine: "" }],
    ["another format", '\n{"role":"user"}\n{"role":"assistant"}', { lineCount: 3, firstLine: '{"role":"user"}' }],
    ["no JSON", `${"x".repeat(200)}\n`, { lineCount: 1, firstLine: "x".repeat(80) }],
    ["a long file", "{}\n".repeat(10_000), { lineCount: 200, firstLine: "{}" }],
  ])("says what it saw of %s", async (_, content, seen) => {
    const error = await read([Buffer.from(content)]).catch((caught: unknown) => caught);
    expect(UnknownTranscriptError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ ...seen, code: "unknown-transcript", knownAgents: RECORDED_AGENTS });
  });

  test("never throws anything else, whatever the bytes and however they are cut", async () => {
    const line = fc.oneof(
      fc.constantFrom(...Object.values(SAMPLES).flat()).map((record) => JSON.stringify(record)),
      fc.json(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\0\0\0", "\ufeff", "\u2028", '{"type":"session","id":""}'),
    );
    const content = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.array(line).map((lines) => Buffer.from(lines.join("\n"))),
    );
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 64 }), async (bytes, size) => {
        const entries = await readAny([bytes]);
        expect(checkEntries(entries)).toEqual([]);
        expect(await readAny(cut(bytes, size))).toEqual(entries);
      }),
      { numRuns: 200 },
    );
  });
});

/** What is read, or nothing of an unknown format. */
async function readAny(chunks: Uint8Array[]): Promise<RecordedEntry[]> {
  try {
    return await read(chunks);
  } catch (error) {
    if (UnknownTranscriptError.isInstance(error)) return [];
    throw error;
  }
}

/** Copies of a value, each with another value at one place in it. */
function withEachFieldChanged(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      [...OTHERS, ...withEachFieldChanged(item)].map((other) => value.with(index, other)),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    [...OTHERS, ...withEachFieldChanged(item)].map((other) => ({ ...value, [name]: other })),
  );
}
const OTHERS = [null, true, -1, 1e300, "", "x", [], [null], {}, { type: 7 }, [{ type: "text", text: 7 }]];

/** What a consumer may rely on, as a list of what does not hold. */
function checkEntries(entries: RecordedEntry[]): string[] {
  const problems: string[] = [];
  const responses = new Set<string>();
  const ids = new Set<string>();
  let sessions = 0;
  for (const entry of entries) {
    for (const [name, value] of Object.entries(entry)) {
      if (value === undefined && !/^(id|responseId)$/.test(name)) continue;
      if (/Tokens$|Ms$|^line$/.test(name) && !(Number.isFinite(value) && value >= 0))
        problems.push(`${name} is ${value}`);
      if (/^(id|parentId|responseId|model)$/.test(name) && typeof value !== "string")
        problems.push(`${name} is ${value}`);
    }
    for (const block of entry.kind === "message" ? entry.blocks : []) {
      for (const [name, value] of Object.entries(block)) {
        if (/^(text|callId|name|type)$/.test(name) && typeof value !== "string") problems.push(`${name} is ${value}`);
      }
    }
    if (entry.kind === "session") sessions += 1;
    if (entry.kind === "usage") {
      if (responses.has(entry.responseId)) problems.push(`two usages for ${entry.responseId}`);
      responses.add(entry.responseId);
    }
    if (entry.kind === "message" || entry.kind === "compaction" || entry.kind === "microcompaction") {
      if (ids.has(entry.id)) problems.push(`two entries ${entry.id}`);
      ids.add(entry.id);
    }
  }
  return sessions > 1 ? [...problems, `${sessions} sessions`] : problems;
}
