import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readClaudeCode } from "./read-claude-code.ts";
import type { RecordedEntry, RecordedMessage } from "./recorded.ts";

const read = (...records: object[]): Promise<RecordedEntry[]> => {
  const lines = records.map(
    (record, index) => ({ kind: "line", number: index + 1, text: JSON.stringify(record) }) as const,
  );
  return Readable.from(readClaudeCode(Readable.from(lines))).toArray();
};

/** A line on the chain of messages; the id also gives its second. */
const chained = (id: number, fields: object): object => ({
  parentUuid: id === 1 ? null : `u${id - 1}`,
  isSidechain: false,
  sessionId: "s1",
  version: "2.1.0",
  cwd: "/home/dev",
  uuid: `u${id}`,
  timestamp: new Date(id * 1000).toISOString(),
  ...fields,
});
const user = (id: number, content: unknown, fields: object = {}): object =>
  chained(id, { type: "user", message: { role: "user", content }, ...fields });
const assistant = (id: number, message: object, fields: object = {}): object =>
  chained(id, {
    type: "assistant",
    message: { role: "assistant", model: "model-1", content: [{ type: "text", text: `text ${id}` }], ...message },
    ...fields,
  });
const usage = (input: number, output: number): object => ({
  input_tokens: input,
  cache_read_input_tokens: 200,
  cache_creation_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: output,
});
const result = (callId: string): object[] => [{ type: "tool_result", tool_use_id: callId, content: "ok" }];

const ofKind = <Kind extends RecordedEntry["kind"]>(
  entries: RecordedEntry[],
  kind: Kind,
): (RecordedEntry & { kind: Kind })[] =>
  entries.filter((entry): entry is RecordedEntry & { kind: Kind } => entry.kind === kind);
const messages = async (...records: object[]): Promise<RecordedMessage[]> => ofKind(await read(...records), "message");

describe("readClaudeCode", () => {
  test("reads a session, its messages and what they used", async () => {
    const entries = await read(
      { type: "file-history-snapshot", messageId: "m", snapshot: {} },
      user(1, "hello"),
      assistant(2, { id: "r1", usage: usage(1, 9), stop_reason: "end_turn" }),
    );
    expect(entries).toEqual([
      { kind: "session", agent: "claude-code", id: "s1", startedAtMs: 1000, version: "2.1.0", cwd: "/home/dev" },
      {
        kind: "message",
        id: "u1",
        branch: "main",
        atMs: 1000,
        role: "user",
        origin: "human",
        blocks: [{ kind: "text", text: "hello" }],
      },
      {
        kind: "message",
        id: "u2",
        parentId: "u1",
        branch: "main",
        atMs: 2000,
        role: "assistant",
        origin: "model",
        responseId: "r1",
        model: "model-1",
        blocks: [{ kind: "text", text: "text 2" }],
      },
      {
        kind: "usage",
        responseId: "r1",
        branch: "main",
        atMs: 2000,
        model: "model-1",
        freshTokens: 1,
        cacheReadTokens: 200,
        cacheWriteTokens: 30,
        cacheWrite1hTokens: 20,
        outputTokens: 9,
        outputCount: "final",
      },
    ]);
  });

  describe("usage", () => {
    test("is counted once for all lines of a response, by the last of them", async () => {
      const entries = await read(
        user(1, "hello"),
        assistant(2, { id: "r1", usage: usage(1, 2), stop_reason: null }),
        user(3, result("c1")),
        assistant(4, { id: "r1", usage: usage(1, 50), stop_reason: "tool_use" }),
        assistant(5, { id: "r2", usage: usage(1, 7), stop_reason: "end_turn" }),
      );
      expect(entries.map((entry) => entry.kind).slice(1)).toEqual([
        "message",
        "message",
        "message",
        "message",
        "usage",
        "message",
        "usage",
      ]);
      expect(ofKind(entries, "usage")).toMatchObject([
        { responseId: "r1", outputTokens: 50, outputCount: "final", atMs: 4000 },
        { responseId: "r2", outputTokens: 7, outputCount: "final" },
      ]);
    });

    test("has a provisional output where no line was written after the end of the stream", async () => {
      const entries = await read(assistant(1, { id: "r1", usage: usage(1, 2), stop_reason: null }));
      expect(ofKind(entries, "usage")).toMatchObject([{ outputTokens: 2, outputCount: "provisional" }]);
    });

    test("stands before the compaction that follows it", async () => {
      const entries = await read(
        assistant(1, { id: "r1", usage: usage(1, 2) }),
        chained(2, { type: "system", subtype: "compact_boundary" }),
      );
      expect(entries.map((entry) => entry.kind)).toEqual(["session", "message", "usage", "compaction"]);
    });

    test("of a repeated run of lines is not counted again", async () => {
      const run = [1, 2].map((id) => assistant(id, { id: `r${id}`, usage: usage(1, 2) }));
      expect(await read(...run, ...run)).toEqual(await read(...run));
    });

    test("is not counted again when a copy of the line has another id", async () => {
      const answer = { id: "r1", usage: usage(1, 2) };
      const entries = await read(
        assistant(1, answer),
        assistant(2, { id: "r2", usage: usage(1, 2) }),
        assistant(3, answer),
      );
      expect(ofKind(entries, "usage").map((entry) => entry.responseId)).toEqual(["r1", "r2"]);
    });

    test("is kept apart for subagents that work at the same time", async () => {
      const copy = (id: number, agentId: string, output: number): object =>
        assistant(id, { id: `r-${agentId}`, usage: usage(1, output) }, { isSidechain: true, agentId });
      const copies = [copy(2, "a", 1), copy(3, "b", 1), copy(4, "a", 10), copy(5, "b", 20)];
      const entries = await read(user(1, "look"), ...copies);
      expect(ofKind(entries, "usage")).toMatchObject([
        { responseId: "r-a", branch: "sidechain", outputTokens: 10 },
        { responseId: "r-b", branch: "sidechain", outputTokens: 20 },
      ]);
    });

    test("is the session's own in the file of a subagent", async () => {
      const of = { isSidechain: true, agentId: "a" };
      const entries = await read(user(1, "look", of), assistant(2, { id: "r", usage: usage(1, 2) }, of));
      expect(entries).toMatchObject([
        { kind: "session", id: "a", parentSession: "s1" },
        { kind: "message", branch: "main", origin: "agent" },
        { kind: "message", branch: "main" },
        { kind: "usage", branch: "main" },
      ]);
    });

    test.each([
      ["an error", { model: "<synthetic>" }, { isApiErrorMessage: true }],
      ["a stand-in", { model: "<synthetic>" }, {}],
    ])("is not made of %s that the agent wrote for the model", async (_, message, fields) => {
      const entries = await read(assistant(1, { id: "r1", usage: usage(0, 0), ...message }, fields));
      expect(entries.slice(1)).toMatchObject([{ kind: "message", role: "assistant", origin: "agent" }]);
    });

    test("follows the model from response to response", async () => {
      const entries = await read(
        assistant(1, { id: "r1", usage: usage(1, 1), model: "small" }),
        assistant(2, { id: "r2", usage: usage(1, 1), model: "large" }),
      );
      expect(ofKind(entries, "usage").map((entry) => entry.model)).toEqual(["small", "large"]);
    });

    test("has no figure for the hour where the file has none", async () => {
      const { cache_creation: _, ...older } = usage(1, 1) as { cache_creation: unknown };
      const [entry] = ofKind(await read(assistant(1, { id: "r1", usage: older })), "usage");
      expect(entry).toEqual(expect.not.objectContaining({ cacheWrite1hTokens: expect.anything() }));
    });
  });

  describe("origin", () => {
    test.each([
      ["human", "what a person typed", user(1, "fix it")],
      ["human", "a command", user(1, "<command-name>/review</command-name>")],
      ["human", "what is declared so", user(1, "fix it", { origin: { kind: "human" } })],
      ["agent", "what is declared otherwise", user(1, "fix it", { origin: { kind: "task-notification" } })],
      ["agent", "meta lines", user(1, "read this skill", { isMeta: true })],
      ["agent", "output of commands", user(1, "<local-command-stdout>done</local-command-stdout>")],
      ["agent", "notifications", user(1, "<task-notification>done</task-notification>")],
      ["agent", "the note of an interruption", user(1, [{ type: "text", text: "[Request interrupted by user]" }])],
      ["agent", "the task of a subagent", user(1, "find it", { isSidechain: true })],
      ["agent", "local commands", chained(1, { type: "system", subtype: "local_command", content: "<bash-stdout>" })],
      ["tool", "results", user(1, result("c1"))],
      ["summary", "the summary of a compaction", user(1, "so far", { isCompactSummary: true })],
    ])("is %s for %s", async (origin, _, record) => {
      expect(await messages(record)).toMatchObject([{ role: "user", origin }]);
    });
  });

  test("takes the result the model saw, not the copy for the display", async () => {
    const [message] = await messages(user(1, result("c1"), { toolUseResult: { stdout: "something else" } }));
    expect(message?.blocks).toEqual([{ kind: "tool_result", callId: "c1", content: "ok", status: "ok" }]);
  });

  test("hands on attachments as they are, and typed input among them as text", async () => {
    const skills = { type: "skill_listing", content: "- review" };
    const typed = { type: "queued_command", commandMode: "prompt", prompt: "and the tests" };
    const [first, second] = await messages(
      chained(1, { type: "attachment", attachment: skills }),
      chained(2, { type: "attachment", attachment: typed }),
    );
    expect(first).toMatchObject({
      origin: "agent",
      blocks: [{ kind: "opaque", type: "skill_listing", value: skills }],
    });
    expect(second).toMatchObject({ origin: "human", blocks: [{ kind: "text", text: "and the tests" }] });
  });

  test("links messages over the lines between them that only the display shows", async () => {
    const found = await messages(
      user(1, "hello"),
      chained(2, { type: "progress", data: { type: "hook_progress" } }),
      chained(3, { type: "system", subtype: "turn_duration", durationMs: 1 }),
      user(4, "again"),
    );
    expect(found.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["u1", undefined],
      ["u4", "u1"],
    ]);
  });

  test("shows a rewind as two messages with one parent", async () => {
    const found = await messages(user(1, "hello"), user(2, "left"), user(3, "right", { parentUuid: "u1" }));
    expect(found.map((message) => message.parentId)).toEqual([undefined, "u1", "u1"]);
  });

  test("marks what was copied from the session it was forked from", async () => {
    const entries = await read(
      assistant(1, { id: "r1", usage: usage(1, 1) }, { forkedFrom: { sessionId: "s0", messageUuid: "u1" } }),
      user(2, "on my own"),
    );
    expect(entries).toMatchObject([
      { kind: "session", parentSession: "s0" },
      { kind: "message", branch: "inherited" },
      { kind: "message", branch: "main" },
      { kind: "usage", branch: "inherited" },
    ]);
  });

  describe("compaction", () => {
    const boundary = (id: number, compactMetadata: object): object =>
      chained(id, {
        type: "system",
        subtype: "compact_boundary",
        parentUuid: null,
        logicalParentUuid: `u${id - 1}`,
        compactMetadata,
      });

    test("is followed by its summary", async () => {
      const entries = await read(
        user(1, "hello"),
        boundary(2, { trigger: "auto", preTokens: 150_000 }),
        user(3, "so far", { isCompactSummary: true }),
      );
      expect(entries.slice(2)).toMatchObject([
        {
          kind: "compaction",
          id: "u2",
          parentId: "u1",
          trigger: "auto",
          tokensBefore: 150_000,
          kept: { kind: "nothing" },
        },
        { kind: "message", parentId: "u2", origin: "summary" },
      ]);
    });

    test("names the messages it kept, without lines the model never saw", async () => {
      const entries = await read(
        user(1, "hello"),
        chained(2, { type: "system", subtype: "stop_hook_summary" }),
        boundary(3, {
          trigger: "manual",
          preTokens: 90_000,
          postTokens: 9_000,
          preservedMessages: { uuids: ["u0", "u1", "u2"] },
        }),
      );
      expect(ofKind(entries, "compaction")).toMatchObject([
        { trigger: "manual", tokensBefore: 90_000, tokensAfter: 9_000, kept: { kind: "listed", ids: ["u0", "u1"] } },
      ]);
    });

    test("names the range it kept where it has no list", async () => {
      const entries = await read(
        user(1, "hello"),
        chained(2, { type: "progress" }),
        boundary(3, { preservedSegment: { headUuid: "u1", tailUuid: "u2" } }),
      );
      expect(ofKind(entries, "compaction")).toMatchObject([
        { trigger: "unknown", kept: { kind: "range", firstId: "u1", lastId: "u1" } },
      ]);
    });
  });

  test("reads which results a microcompaction cleared", async () => {
    const microcompactMetadata = { preTokens: 60_000, tokensSaved: 20_000, compactedToolIds: ["c1", "c2"] };
    const entries = await read(chained(1, { type: "system", subtype: "microcompact_boundary", microcompactMetadata }));
    expect(ofKind(entries, "microcompaction")).toMatchObject([
      { clearedCallIds: ["c1", "c2"], tokensBefore: 60_000, tokensSaved: 20_000 },
    ]);
  });

  test("passes over titles, which old versions call summaries", async () => {
    expect(await read({ type: "summary", summary: "A title", leafUuid: "u9" })).toEqual([]);
  });

  test("reports a message without content and links over it", async () => {
    const entries = await read(user(1, "hello"), chained(2, { type: "user", message: 7 }), user(3, "again"));
    expect(entries.slice(2)).toMatchObject([
      { kind: "damage", line: 2, reason: "malformed" },
      { kind: "message", parentId: "u1" },
    ]);
  });
});
