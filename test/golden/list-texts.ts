import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionStore } from "@palimpsest/observe/claude-agent-sdk";
import { type OpencodeMessage, palimpsest } from "@palimpsest/opencode";
import { memoryStore } from "palimpsest";
import { exactText } from "./exact-text.ts";
import type { Texts } from "./golden-texts.ts";

/** What programs are given that keep a list of their own, and that have no models which could be asked. */
export async function listTexts(): Promise<Texts> {
  return new Map([...(await opencodeTexts()), ...(await transcriptTexts())]);
}

const MODEL = { providerID: "local", modelID: "a-model" };
const PNG = "data:image/png;base64,iVBORw0KGgo=";

type Part = OpencodeMessage["parts"][number];

const user = (id: string, ...parts: Part[]): OpencodeMessage => ({
  info: { id, sessionID: "ses_1", role: "user", agent: "build", model: MODEL },
  parts,
});
const answer = (id: string, finish: string, ...parts: Part[]): OpencodeMessage => ({
  info: {
    id,
    sessionID: "ses_1",
    role: "assistant",
    ...MODEL,
    finish,
    tokens: { input: 900, output: 50, reasoning: 0, cache: { read: 0, write: 0 } },
  },
  parts: [{ type: "step-start" }, ...parts],
});
const text = (words: string): Part => ({ type: "text", text: words });
const call = (callID: string, state: object): Part => ({
  type: "tool",
  callID,
  tool: "read",
  metadata: { anthropic: { caller: "direct" } },
  state,
});

/** A conversation in opencode, as its list grows. */
const CONVERSATION: readonly OpencodeMessage[] = [
  user("msg_0", text("Look at the door."), { type: "file", mime: "image/png", url: PNG, filename: "door.png" }),
  answer(
    "msg_1",
    "tool-calls",
    { type: "reasoning", text: "Files will tell.", metadata: { anthropic: { signature: "s" } } },
    text("I will read."),
    call("call_1", {
      status: "completed",
      input: { b: 1, a: 2 },
      output: "A cat.",
      title: "Door",
      metadata: {},
      time: {},
    }),
    call("call_2", { status: "error", input: {}, error: "No such file." }),
  ),
  answer("msg_2", "stop", text("A cat, and no window.")),
  user("msg_3", text("Plan it."), {
    type: "text",
    synthetic: true,
    text: "<system-reminder>\n# Plan Mode - System Reminder\n...",
  }),
  answer(
    "msg_4",
    "tool-calls",
    call("call_3", {
      status: "completed",
      input: { path: "cat.png" },
      output: "It rained. ".repeat(2_000),
      attachments: [{ type: "file", mime: "image/png", url: PNG }],
      time: {},
    }),
  ),
  answer("msg_5", "stop", text("A plan.")),
  user("msg_6", text("Go.")),
];

async function opencodeTexts(): Promise<Texts> {
  const folder = mkdtempSync(join(tmpdir(), "golden-"));
  const limit = { context: 100_000, output: 2_000 };
  const providers = [{ id: "local", models: { "a-model": { limit } } }];
  const unused = () => Promise.reject(new Error("The window has room."));
  const client = {
    config: { providers: async () => ({ data: { providers } }) },
    session: { create: unused, prompt: unused, abort: unused, delete: unused },
    app: { log: async () => {} },
  };
  const hooks = await palimpsest({ client } as never, { folder });
  try {
    const texts = new Map<string, string>();
    for (const [at, { info }] of CONVERSATION.entries()) {
      if (at + 1 < CONVERSATION.length && CONVERSATION[at + 1]!.info["role"] === "user") continue;
      const messages = structuredClone(CONVERSATION.slice(0, at + 1)) as OpencodeMessage[];
      await hooks["experimental.chat.messages.transform"]({}, { messages });
      texts.set(`opencode after ${String(info["id"])}`, exactText(messages));
    }
    const definition = {};
    await hooks["tool.definition"]({ toolID: "recall" }, definition);
    texts.set("opencode, its tool", exactText({ definition, description: hooks.tool.recall.description }));
    return texts;
  } finally {
    await hooks.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Transcripts of the Claude Agent SDK, as it gets them back. */
async function transcriptTexts(): Promise<Texts> {
  const key = { projectKey: "/home/ada/engine", sessionId: "0d1f7e4a-8f5e-4b0e-9a5c-2f3f1f6f7a01" };
  const store = memoryStore({ leaseMs: 0 });
  const transcripts = sessionStore({ store, clock: { now: () => 1_700_000_000_000 } });
  const line = (uuid: string, more: object) => ({ type: "user", uuid, ...more });
  try {
    await transcripts.append(key, [
      line("b", { message: { role: "user", content: "half a pair: \ud83d, and \0" } }),
      line("a", { message: { content: [{ type: "text", text: "Hi" }], role: "assistant" }, absent: undefined }),
    ]);
    await transcripts.append(key, [{ type: "custom-title", title: "one" }, line("a", { again: true })]);
    await transcripts.append({ ...key, subpath: "subagents/agent-1" }, [line("c", { deep: [null, { a: 1.5 }] })]);
    return new Map([
      ["claude-agent-sdk, a transcript", exactText(await transcripts.load(key))],
      ["claude-agent-sdk, the list", exactText(await transcripts.listSessions(key.projectKey))],
      ["claude-agent-sdk, the keys below", exactText(await transcripts.listSubkeys(key))],
    ]);
  } finally {
    await transcripts.close();
  }
}
