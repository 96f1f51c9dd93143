import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "palimpsest/schema";
import { expect, onTestFinished, test } from "vitest";
import type { OpencodeHooks } from "./opencode-plugin.ts";
import { palimpsest } from "./plugin.ts";
import type { OpencodeMessage } from "./wire.ts";

const MODEL = { providerID: "local", modelID: "a-model" };
const SUMMARY = `<summary>\n${[
  "Goal",
  "Constraints",
  "Progress",
  "Decisions",
  "Files",
  "Errors",
  "Next",
  "Open",
  "Words",
]
  .map((name, at) => `${at + 1}. ${name}: files were read, one after the other.`)
  .join("\n")}\n</summary>`;

/** Acts like opencode: keeps the list, and calls the plugin before each request. */
async function host(folder: string, list: OpencodeMessage[] = []) {
  let number = list.length;
  let sentCharacters = 0;
  const asked: OpencodeMessage[][] = [];
  const logged: string[] = [];
  const info = (role: string, more: JsonObject = {}): JsonObject => ({
    id: `msg_${number++}`,
    sessionID: "ses_1",
    role,
    ...(role === "user" ? { agent: "build", model: MODEL } : MODEL),
    ...more,
  });
  const hooks: OpencodeHooks = await palimpsest(
    {
      client: {
        config: {
          providers: async () => ({
            data: {
              providers: [{ id: "local", models: { "a-model": { limit: { context: 20_000, output: 2_000 } } } }],
            },
          }),
        },
        session: {
          create: async () => ({ data: { id: "ses_own" } }),
          async prompt() {
            const messages: OpencodeMessage[] = [
              { info: info("user", { sessionID: "ses_own" }), parts: [{ type: "text", text: "Summarize." }] },
            ];
            await hooks["experimental.chat.messages.transform"]({}, { messages });
            asked.push(messages);
            const tokens = { input: 9_000, output: 300, reasoning: 0, cache: { read: 0, write: 0 } };
            return {
              data: { info: info("assistant", { finish: "stop", tokens }), parts: [{ type: "text", text: SUMMARY }] },
            };
          },
          abort: async () => {},
          delete: async () => {},
        },
        app: { log: async ({ body }) => logged.push(body.message) },
      },
    },
    { folder },
  );
  return {
    list,
    asked,
    logged,
    hooks,
    /** Returns the messages that opencode would send for the current list. */
    async sent(): Promise<OpencodeMessage[]> {
      const messages = structuredClone(list);
      await hooks["experimental.chat.messages.transform"]({}, { messages });
      sentCharacters = textsOf(messages).length;
      return messages;
    },
    say(text: string) {
      list.push({ info: info("user"), parts: [{ type: "text", text }] });
    },
    answer(parts: readonly JsonObject[], finish = "stop") {
      const input = Math.ceil(sentCharacters / 4);
      const tokens = { input, output: 50, reasoning: 0, cache: { read: 0, write: 0 } };
      list.push({ info: info("assistant", { finish, tokens }), parts });
    },
  };
}

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "opencode-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const textsOf = (messages: readonly OpencodeMessage[]): string => JSON.stringify(messages.map(({ parts }) => parts));
const readCall = (turn: number): JsonObject => ({
  type: "tool",
  callID: `call_${turn}`,
  tool: "read",
  metadata: { anthropic: { caller: "direct" } },
  state: {
    status: "completed",
    input: { path: `${turn}.ts` },
    output: `${turn}: ${"It rained. ".repeat(300)}`,
    time: {},
  },
});
const thought: JsonObject = {
  type: "reasoning",
  text: "Files will tell.",
  metadata: { anthropic: { signature: "s" } },
};

test("keeps sent content unchanged, and compacts a full window with a separate call that has the same beginning", async () => {
  const { list, asked, hooks, sent, say, answer } = await host(folderOf());
  let before: OpencodeMessage[] = [];
  let [kept, compacted] = [0, 0];
  for (let turn = 1; turn <= 60; turn++) {
    say(`Turn ${turn}: read.`);
    await sent();
    answer([{ type: "step-start" }, thought, readCall(turn)], "tool-calls");
    const now = await sent();
    const begins = textsOf(now).startsWith(textsOf(before).slice(0, -1));
    if (begins) kept++;
    else compacted++;
    before = now;
    answer([{ type: "step-start" }, { type: "text", text: "Read." }]);
  }
  expect(asked.length).toBeGreaterThanOrEqual(3);
  expect(compacted).toBeLessThanOrEqual(asked.length);
  expect(kept).toBeGreaterThan(40);
  expect(textsOf(before).length).toBeLessThan(textsOf(list).length / 2);
  expect(textsOf(asked[0]!)).toContain("Turn 1: read.");
  await hooks.dispose();
});

test("renders reasoning, calls, results and files in the form of opencode", async () => {
  const { hooks, sent, say, answer } = await host(folderOf());
  say("Look.");
  await sent();
  answer(
    [{ type: "step-start" }, thought, { ...readCall(1), state: { status: "error", input: {}, error: "nope" } }],
    "tool-calls",
  );
  const [, shown] = await sent();
  expect(shown).toMatchObject({
    info: { role: "assistant", ...MODEL },
    parts: [
      { type: "step-start" },
      thought,
      {
        type: "tool",
        callID: "call_1",
        tool: "read",
        metadata: { anthropic: { caller: "direct" } },
        state: { status: "error", input: {}, error: "nope" },
      },
    ],
  });
  await hooks.dispose();
});

test("continues the session in another process, and rewinds to an edited message", async () => {
  const folder = folderOf();
  const first = await host(folder);
  for (let turn = 1; turn <= 20; turn++) {
    first.say(`Turn ${turn}: read.`);
    await first.sent();
    first.answer([{ type: "step-start" }, readCall(turn)], "tool-calls");
    await first.sent();
    first.answer([{ type: "step-start" }, { type: "text", text: "Read." }]);
  }
  first.say("Go on.");
  const before = textsOf(await first.sent());
  await first.hooks.dispose();
  const second = await host(folder, first.list);
  expect(textsOf(await second.sent())).toBe(before);
  second.list.pop();
  second.say("No, stop.");
  const edited = textsOf(await second.sent());
  expect(edited).toContain("No, stop.");
  expect(edited).not.toContain("Go on.");
  await second.hooks.dispose();
});

test("compacts and continues the session after opencode's own compaction", async () => {
  const { list, asked, hooks, sent, say, answer } = await host(folderOf());
  for (let turn = 1; turn <= 3; turn++) {
    say(`Turn ${turn}: read.`);
    await sent();
    answer([{ type: "step-start" }, readCall(turn)], "tool-calls");
    await sent();
    answer([{ type: "step-start" }, { type: "text", text: "Read." }]);
  }
  const before = textsOf(await sent()).length;
  await hooks["experimental.session.compacting"]({ sessionID: "ses_1" });
  // After its compaction, opencode shows its question, its summary, and the new messages.
  list.splice(0, list.length);
  list.push({
    info: { id: "msg_c", sessionID: "ses_1", role: "user", agent: "build", model: MODEL },
    parts: [{ type: "compaction" }],
  });
  answer([{ type: "text", text: "Files were read." }]);
  say("Go on.");
  const after = textsOf(await sent());
  expect(asked).toHaveLength(1);
  expect(after.length).toBeLessThan(before);
  expect(after).toContain("Go on.");
  await hooks.dispose();
});

test("sends a plan mode reminder with the newest message, and does not rewind when the reminder is gone", async () => {
  const { list, logged, hooks, sent, say, answer } = await host(folderOf());
  const reminder = { type: "text", synthetic: true, text: "<system-reminder>\n# Plan Mode - System Reminder\n..." };
  say("Plan it.");
  list.push({ ...list.pop()!, parts: [{ type: "text", text: "Plan it." }, reminder] });
  expect(textsOf(await sent())).toContain("Plan Mode");
  list.push({ ...list.pop()!, parts: [{ type: "text", text: "Plan it." }] });
  answer([{ type: "text", text: "A plan." }]);
  say("Go.");
  const next = textsOf(await sent());
  expect(next).not.toContain("Plan Mode");
  expect(next).toContain("A plan.");
  expect(logged).toEqual([]);
  await hooks.dispose();
});

test("sends the text of an interrupted answer back, and nothing of a failed one", async () => {
  const { list, hooks, sent, say, answer } = await host(folderOf());
  const fail = (name: string): void => {
    const { info, parts } = list.pop()!;
    list.push({ info: { ...info, error: { name } }, parts });
  };
  say("One.");
  await sent();
  answer([{ type: "text", text: "A beginning" }]);
  fail("MessageAbortedError");
  say("Two.");
  await sent();
  answer([{ type: "text", text: "Half of" }]);
  fail("APIError");
  say("Three.");
  const texts = textsOf(await sent());
  expect(texts).toContain("A beginning");
  expect(texts).not.toContain("Half of");
  await hooks.dispose();
});

test("leaves opencode's messages unchanged if the plugin fails, and logs the reason", async () => {
  const { logged, hooks, sent, say } = await host(folderOf());
  await hooks.dispose();
  say("One.");
  expect(textsOf(await sent())).toContain("One.");
  expect(logged).toEqual([expect.stringContaining("sends its own messages unchanged")]);
});

test("recall reads compacted content, and a call for a summary runs no tool", async () => {
  const { hooks, sent, say, answer } = await host(folderOf());
  say("The port is 8080.");
  await sent();
  answer([{ type: "text", text: "Noted." }]);
  await sent();
  expect(await hooks.tool.recall.execute({ search: "port" }, { sessionID: "ses_1" })).toMatch(/entry \d+.*8080/s);
  expect(await hooks.tool.recall.execute({ search: "port" }, { sessionID: "ses_2" })).toContain("not open");
  const definition: { jsonSchema?: unknown } = {};
  await hooks["tool.definition"]({ toolID: "recall" }, definition);
  expect(definition.jsonSchema).toMatchObject({ type: "object" });
  await expect(hooks["tool.execute.before"]({ sessionID: "ses_1" })).resolves.toBeUndefined();
  await hooks.dispose();
});
