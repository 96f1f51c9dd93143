import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";

/**
 * A home folder with a small session of each agent, made up by us: somebody has a wrong sum put right. The formats are those
 * that the agents' own sources publish; where one is, stands above it.
 */
export function writeHome(home: string): string {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  writeDatabase(join(home, ".local/share/opencode/opencode.db"));
  return home;
}

const TASK = "add(2, 2) gives 5. Please put it right.";
const SOURCE = [
  "// Sums, as the till needs them. Amounts are in cents, so that nothing is lost to fractions.",
  "export function add(a, b) {",
  "  return a + b + 1;",
  "}",
  ...["net", "gross", "tax", "tip", "change"].map(
    (name) => `export const ${name}Of = (sale) => add(sale.${name}, sale.rounding);`,
  ),
  "",
].join("\n");
const DONE = "add(2, 2) gives 4 now.";
const SUMMARY = "The user wants add.js put right; the stray + 1 was found.";
const PLAN = "The sum is off by one.";

const START_MS = Date.parse("2026-11-01T10:00:00Z");
const ms = (second: number): number => START_MS + second * 1_000;
const time = (second: number): string => new Date(ms(second)).toISOString();
const toLines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Claude Code 2.1, `~/.claude/projects/<cwd>/<session>.jsonl`: seen in recorded sessions; there is no published schema. */
const CLAUDE_CODE = (() => {
  const line = (uuid: string, parentUuid: string | null, second: number, fields: object): object => ({
    uuid,
    parentUuid,
    sessionId: "c1a0de00-0000-4000-8000-000000000001",
    isSidechain: false,
    timestamp: time(second),
    cwd: "/work/sums",
    version: "2.1.217",
    ...fields,
  });
  const user = (content: unknown): object => ({ type: "user", message: { role: "user", content } });
  const result = (id: string, content: string): object => user([{ type: "tool_result", tool_use_id: id, content }]);
  const model = (id: string, content: readonly object[], read: number, written: number, output: number): object => ({
    type: "assistant",
    message: {
      id,
      role: "assistant",
      model: "claude-sonnet-4-6",
      content,
      stop_reason: "tool_use",
      usage: {
        input_tokens: 4,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: output,
      },
    },
  });
  const call = (id: string, name: string, input: object): object => ({ type: "tool_use", id, name, input });
  const read = (id: string): object => call(id, "Read", { file_path: "/work/sums/add.js" });
  return [
    line("a1", null, 0, user(TASK)),
    line("a2", "a1", 6, model("msg_1", [{ type: "thinking", thinking: PLAN, signature: "c2ln" }], 0, 21_000, 80)),
    line("a3", "a2", 7, model("msg_1", [read("toolu_1")], 0, 21_000, 80)),
    line("a4", "a3", 8, result("toolu_1", SOURCE)),
    line("a5", "a4", 14, model("msg_2", [read("toolu_2")], 21_000, 300, 40)),
    line("a6", "a5", 15, result("toolu_2", SOURCE)),
    line("a7", "a6", 20, model("msg_3", [{ type: "text", text: "One moment." }], 21_300, 200, 30)),
    // Seven minutes later the prompt cache has forgotten all of it.
    line("c1", "a7", 440, user("Is it right now?")),
    line("c2", "c1", 446, model("msg_4", [{ type: "text", text: "Not yet." }], 0, 21_700, 30)),
    line("a8", "a7", 500, {
      type: "system",
      subtype: "compact_boundary",
      parentUuid: null,
      logicalParentUuid: "c2",
      compactMetadata: { trigger: "auto", preTokens: 21_734 },
    }),
    line("a9", "a8", 501, { ...user(SUMMARY), isCompactSummary: true }),
    line("b1", "a9", 510, model("msg_5", [read("toolu_3")], 18_000, 900, 40)),
    line("b2", "b1", 511, result("toolu_3", SOURCE)),
    line("b3", "b2", 520, model("msg_6", [{ type: "text", text: DONE }], 18_900, 200, 20)),
  ];
})();

/** The same agent's file of a subagent, `<session>/subagents/agent-<id>.jsonl`. */
const CLAUDE_CODE_SUBAGENT = CLAUDE_CODE.slice(0, 5).map((record) => ({
  ...record,
  isSidechain: true,
  agentId: "a748733",
}));

/** openai/codex, `codex-rs/protocol/src/protocol.rs` (RolloutLine): `~/.codex/sessions/<date>/rollout-*.jsonl`, or `.zst`. */
const CODEX = (() => {
  const line = (second: number, type: string, payload: object): object => ({ timestamp: time(second), type, payload });
  const item = (second: number, payload: object): object => line(second, "response_item", payload);
  const used = (second: number, total: number, input: number, cached: number): object =>
    line(second, "event_msg", {
      type: "token_count",
      info: {
        total_token_usage: { input_tokens: total, cached_input_tokens: 0, output_tokens: 60 },
        last_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: 60 },
        model_context_window: 272_000,
      },
    });
  return [
    line(0, "session_meta", { id: "019a5c00-0000-7000-8000-000000000001", cwd: "/work/sums", cli_version: "0.140.0" }),
    line(0, "turn_context", { turn_id: "019a5c00-0000-7000-8000-000000000002", model: "gpt-5.2" }),
    item(1, { type: "message", role: "user", content: [{ type: "input_text", text: TASK }] }),
    item(5, { type: "reasoning", summary: [{ type: "summary_text", text: PLAN }], encrypted_content: "sealed" }),
    item(6, { type: "function_call", call_id: "call_1", name: "shell", arguments: '{"command":["cat","add.js"]}' }),
    used(6, 9_000, 9_000, 0),
    item(7, { type: "function_call_output", call_id: "call_1", output: SOURCE }),
    line(9, "compacted", {
      message: SUMMARY,
      replacement_history: [{ type: "message", role: "user", content: [{ type: "input_text", text: SUMMARY }] }],
    }),
    item(12, { type: "message", role: "assistant", content: [{ type: "output_text", text: DONE }] }),
    used(12, 17_800, 8_800, 8_700),
  ];
})();

/** badlogic/pi-mono, `packages/coding-agent/docs/session.md`: `~/.pi/agent/sessions/<cwd>/*.jsonl`, version 3. */
const PI = (() => {
  const line = (id: string, parentId: string | null, second: number, message: object): object => ({
    type: "message",
    id,
    parentId,
    timestamp: time(second),
    message,
  });
  const usage = (cacheRead: number, cacheWrite: number): object => ({
    input: 3,
    cacheRead,
    cacheWrite,
    output: 50,
    cost: { total: 0.01 },
  });
  const model = { role: "assistant", model: "claude-opus-4-5", stopReason: "stop" };
  const call = { type: "toolCall", id: "t1", name: "read", arguments: { path: "add.js" } };
  return [
    { type: "session", version: 3, id: "9f0e", timestamp: time(0), cwd: "/work/sums" },
    line("p1", null, 1, { role: "user", content: TASK }),
    line("p2", "p1", 5, { ...model, content: [{ type: "thinking", thinking: PLAN }, call], usage: usage(0, 12_000) }),
    line("p3", "p2", 6, { role: "toolResult", toolCallId: "t1", content: [{ type: "text", text: SOURCE }] }),
    {
      type: "compaction",
      id: "p4",
      parentId: "p3",
      timestamp: time(8),
      summary: SUMMARY,
      firstKeptEntryId: "p3",
      tokensBefore: 12_100,
    },
    line("p5", "p4", 12, { ...model, content: [{ type: "text", text: DONE }], usage: usage(11_000, 700) }),
  ];
})();

/** google-gemini/gemini-cli, `packages/core/src/services/chatRecordingTypes.ts`: `~/.gemini/tmp/<project>/chats/*.jsonl`. */
const GEMINI = (() => {
  const head = { sessionId: "5e551011", projectHash: "abc", startTime: time(0), lastUpdated: time(0), kind: "main" };
  const tokens = (input: number, cached: number): object => ({
    input,
    cached,
    output: 40,
    thoughts: 20,
    tool: 0,
    total: input + 60,
  });
  const output = [{ functionResponse: { id: "read_file-1", name: "read_file", response: { output: SOURCE } } }];
  const call = { id: "read_file-1", name: "read_file", args: { absolute_path: "/work/sums/add.js" } };
  const first = { id: "g2", timestamp: time(5), type: "gemini", content: "", model: "gemini-3-pro" };
  const thoughts = [{ subject: "The sum", description: PLAN, timestamp: time(4) }];
  const messages = [
    { id: "g1", timestamp: time(1), type: "user", content: [{ text: TASK }] },
    {
      ...first,
      thoughts,
      tokens: tokens(8_000, 0),
      toolCalls: [{ ...call, status: "success", timestamp: time(6), result: output }],
    },
    {
      id: "g3",
      timestamp: time(9),
      type: "gemini",
      content: DONE,
      tokens: tokens(8_400, 8_000),
      model: "gemini-3-pro",
    },
  ];
  const [asked, , answered] = messages;
  const lines = [
    head,
    asked!,
    // Written again as its tokens and its call become known.
    { ...first, thoughts, tokens: null },
    { ...first, thoughts, tokens: tokens(8_000, 0) },
    messages[1]!,
    { $set: { lastUpdated: time(7) } },
    { $set: { messages: [{ id: "g9", timestamp: time(8), type: "user", content: [{ text: SUMMARY }] }] } },
    answered!,
  ];
  return { lines, document: { ...head, messages } };
})();

/** QwenLM/qwen-code, `packages/core/src/services/chatRecordingService.ts` (ChatRecord): `~/.qwen/projects/<cwd>/chats/*.jsonl`. */
const QWEN = (() => {
  const line = (uuid: string, parentUuid: string | null, second: number, fields: object): object => ({
    uuid,
    parentUuid,
    sessionId: "7e11ab1e",
    timestamp: time(second),
    cwd: "/work/sums",
    version: "0.14.0",
    ...fields,
  });
  const content = (role: string, ...parts: readonly object[]): object => ({ message: { role, parts } });
  const used = (prompt: number, cached: number): object => ({
    model: "qwen3-coder-plus",
    contextWindowSize: 1_000_000,
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: cached,
      candidatesTokenCount: 50,
      totalTokenCount: prompt + 50,
    },
  });
  const call = { functionCall: { id: "q-1", name: "read_file", args: { absolute_path: "/work/sums/add.js" } } };
  const response = { functionResponse: { id: "q-1", name: "read_file", response: { output: SOURCE } } };
  return [
    line("q1", null, 1, { type: "user", ...content("user", { text: TASK }) }),
    line("q2", "q1", 5, {
      type: "assistant",
      ...content("model", { text: PLAN, thought: true }, call),
      ...used(9_000, 0),
    }),
    line("q3", "q2", 6, {
      type: "tool_result",
      ...content("user", response),
      toolCallResult: { callId: "q-1", status: "success" },
    }),
    line("q4", "q3", 8, {
      type: "system",
      subtype: "chat_compression",
      systemPayload: {
        info: { originalTokenCount: 9_400, newTokenCount: 8_200, compressionStatus: 1 },
        compressedHistory: [
          { role: "user", parts: [{ text: SUMMARY }] },
          { role: "model", parts: [{ text: "Understood." }] },
        ],
      },
    }),
    line("q5", "q4", 12, { type: "assistant", ...content("model", { text: DONE }), ...used(8_200, 8_000) }),
  ];
})();

/** cline/cline, `src/core/storage/disk.ts`: `tasks/<id>/api_conversation_history.json`, and `ui_messages.json` beside it. */
const CLINE_TASK = (() => {
  const result = { type: "tool_result", tool_use_id: "call_9", content: [{ type: "text", text: SOURCE }] };
  const model = { modelInfo: { modelId: "claude-sonnet-4-6", providerId: "anthropic" } };
  const request = (second: number, behind: number, info: object, fields: object = {}): object => ({
    ts: ms(second),
    type: "say",
    say: "api_req_started",
    text: JSON.stringify(info),
    conversationHistoryIndex: behind,
    ...fields,
  });
  return {
    history: [
      { role: "user", content: [{ type: "text", text: `<task>\n${TASK}\n</task>` }], ts: ms(1) },
      {
        role: "assistant",
        ts: ms(5),
        ...model,
        content: [
          { type: "text", text: PLAN },
          { type: "tool_use", id: "call_9", name: "read_file", input: { path: "add.js" } },
        ],
      },
      { role: "user", content: [result], ts: ms(6) },
      { role: "assistant", content: [{ type: "text", text: DONE }], ts: ms(12), ...model },
    ],
    shown: [
      { ts: ms(1), type: "say", say: "text", text: TASK },
      request(2, -1, { tokensIn: 4, tokensOut: 50, cacheWrites: 11_000, cacheReads: 0, cost: 0.04 }),
      request(8, 1, { tokensIn: 4, tokensOut: 20, cacheWrites: 300, cacheReads: 11_000, cost: 0.005 }),
    ],
  };
})();

/** cline/cline, `sdk/packages/shared/src/llms/messages.ts`: `~/.cline/data/sessions/<id>/<id>.messages.json`. */
const CLINE_SESSION = (() => {
  const metrics = (inputTokens: number, cacheReadTokens: number): object => ({
    modelInfo: { id: "deepseek-chat", provider: "deepseek" },
    metrics: { inputTokens, cacheReadTokens, outputTokens: 40, cost: 0.002 },
  });
  const call = { type: "tool_use", id: "c1", name: "read_file", input: { path: "add.js" } };
  const messages = [
    { id: "m1", role: "user", content: [{ type: "text", text: TASK }], ts: ms(1) },
    { id: "m2", role: "assistant", content: [call], ts: ms(5), ...metrics(6_000, 0) },
    { id: "m3", role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: SOURCE }], ts: ms(6) },
    { id: "m4", role: "assistant", content: [{ type: "text", text: DONE }], ts: ms(12), ...metrics(6_400, 6_000) },
  ];
  return {
    messages: { version: 1, updated_at: time(12), agent: "main", sessionId: "sess1", messages },
    compaction: {
      version: 1,
      updated_at: time(8),
      source_message_count: 3,
      messages: [{ role: "user", content: SUMMARY }],
    },
  };
})();

/** anomalyco/opencode, `packages/opencode/src/session/message-v2.ts`; rows of `session.sql.ts`, files of `json-migration.ts`. */
const OPENCODE = (() => {
  const tokens = (input: number, read: number): object => ({
    input,
    output: 40,
    reasoning: 10,
    total: input + read + 50,
    cache: { read, write: 0 },
  });
  const model = { role: "assistant", modelID: "glm-4.6", providerID: "zai", cost: 0.003 };
  const tool = {
    type: "tool",
    callID: "o-1",
    tool: "read",
    state: {
      status: "completed",
      input: { filePath: "/work/sums/add.js" },
      output: SOURCE,
      title: "add.js",
      time: { start: ms(5), end: ms(6), compacted: ms(15) },
    },
  };
  return {
    session: { directory: "/work/sums", title: "Sums", version: "1.2.0", time: { created: ms(0) } },
    messages: [
      { info: { role: "user", time: { created: ms(1) } }, parts: [{ type: "text", text: TASK }] },
      {
        info: { ...model, time: { created: ms(2), completed: ms(6) }, tokens: tokens(9_000, 0) },
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: PLAN, time: { start: ms(2) } },
          tool,
          { type: "step-finish", reason: "tool-calls", cost: 0.003, tokens: tokens(9_000, 0) },
        ],
      },
      { info: { role: "user", time: { created: ms(8) } }, parts: [{ type: "compaction", auto: true }] },
      {
        info: { ...model, summary: true, finish: "stop", time: { created: ms(9) }, tokens: tokens(9_300, 0) },
        parts: [{ type: "text", text: SUMMARY }],
      },
      {
        info: { ...model, time: { created: ms(20) }, tokens: tokens(400, 8_000) },
        parts: [{ type: "text", text: DONE }],
      },
    ],
  };
})();

function opencodeFiles(): Record<string, string> {
  const storage = ".local/share/opencode/storage";
  const files: Record<string, string> = {
    [`${storage}/session/global/ses_files.json`]: JSON.stringify(OPENCODE.session, null, 2),
  };
  OPENCODE.messages.forEach(({ info, parts }, index) => {
    const id = `msg_${index}`;
    files[`${storage}/message/ses_files/${id}.json`] = JSON.stringify({ id, sessionID: "ses_files", ...info });
    parts.forEach((part, place) => {
      files[`${storage}/part/${id}/prt_${place}.json`] = JSON.stringify({ id: `prt_${place}`, messageID: id, ...part });
    });
  });
  return files;
}

function writeDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
      time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
  `);
  const addSession = database.prepare("INSERT INTO session VALUES (?, 'global', ?, ?, ?, ?, ?, ?)");
  const { directory, title, version } = OPENCODE.session;
  addSession.run("ses_1", null, directory, title, version, ms(0), ms(20));
  addSession.run("ses_2", "ses_1", directory, "A subagent", version, ms(3), ms(4));
  OPENCODE.messages.forEach(({ info, parts }, index) => {
    const { created } = info.time;
    const add = database.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)");
    add.run(`msg_${index}`, created, created, JSON.stringify(info));
    parts.forEach((part, place) => {
      const addPart = database.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?, ?)");
      addPart.run(`prt_${index}_${place}`, `msg_${index}`, created, JSON.stringify(part));
    });
  });
  database.close();
}

const SESSION = "c1a0de00-0000-4000-8000-000000000001";
/** Our own proxy, `~/.palimpsest/proxy`: what went over the wire, a line for each request and each response. */
const PROXY = (() => {
  const call = { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "/work/sums/add.js" } };
  const response = (
    number: number,
    second: number,
    content: readonly object[],
    read: number,
    written: number,
  ): object => ({
    type: "response",
    number,
    atMs: ms(second),
    id: `msg_${number}`,
    model: "claude-sonnet-4-6",
    items: [{ role: "assistant", content }],
    usage: {
      input_tokens: 4,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 60,
    },
    ended: "whole",
  });
  const request = (number: number, second: number, relation: object, items: readonly object[]): object => ({
    type: "request",
    ...relation,
    number,
    atMs: ms(second),
    model: "claude-sonnet-4-6",
    items,
  });
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: SOURCE };
  return [
    { proxy: 1, id: "9b1de0d1", api: "messages", upstream: "anthropic", atMs: ms(0), session: "c1a0de00" },
    request(1, 0, { relation: "begins", echoed: 0 }, [{ role: "user", content: TASK }]),
    response(1, 6, [call], 0, 21_000),
    request(2, 8, { relation: "continues", kept: 1, echoed: 1 }, [{ role: "user", content: [result] }]),
    response(2, 14, [{ type: "text", text: "One moment." }], 21_000, 300),
    request(3, 20, { relation: "replaced", echoed: 0 }, [{ role: "user", content: SUMMARY }]),
    response(3, 25, [{ type: "text", text: DONE }], 18_000, 200),
  ];
})();

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  [`.claude/projects/-work-sums/${SESSION}.jsonl`]: toLines(CLAUDE_CODE),
  [`.claude/projects/-work-sums/${SESSION}/subagents/agent-a748733.jsonl`]: toLines(CLAUDE_CODE_SUBAGENT),
  ".codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-019a5c00.jsonl": toLines(CODEX),
  ".codex/archived_sessions/rollout-2026-10-01T10-00-00-019a5c00.jsonl.zst": zstdCompressSync(toLines(CODEX)),
  ".pi/agent/sessions/--work-sums--/2026-11-01.jsonl": toLines(PI),
  ".gemini/tmp/abc/chats/session-2026-11-01T10-00-5e551011.jsonl": toLines(GEMINI.lines),
  ".gemini/tmp/abc/chats/session-2026-10-01T10-00-5e551011.json": JSON.stringify(GEMINI.document, null, 2),
  ".gemini/tmp/abc/chats/5e551011/aaaa.jsonl": toLines([
    { ...GEMINI.lines[0], sessionId: "aaaa", kind: "subagent" },
    ...GEMINI.lines.slice(1),
  ]),
  ".qwen/projects/-work-sums/chats/7e11ab1e.jsonl": toLines(QWEN),
  ".cline/data/tasks/1793527200000/api_conversation_history.json": JSON.stringify(CLINE_TASK.history),
  ".cline/data/tasks/1793527200000/ui_messages.json": JSON.stringify(CLINE_TASK.shown),
  ".cline/data/sessions/sess1/sess1.messages.json": JSON.stringify(CLINE_SESSION.messages, null, 2),
  ".cline/data/sessions/sess1/sess1.compaction.json": JSON.stringify(CLINE_SESSION.compaction),
  ".palimpsest/proxy/2026-11-01T10-00-00-000Z-9b1de0d1.jsonl": toLines(PROXY),
  ...opencodeFiles(),
};
