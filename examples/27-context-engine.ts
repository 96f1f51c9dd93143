/**
 * A host that asks a plugin for the messages of each request, as OpenClaw does with its `ContextEngine`: a session per conversation behind
 * it. `check-openclaw.ts` checks `ContextEngine` against OpenClaw's own types; here the host is a loop over pi's models.
 */
import { type AgentMessage, type AgentTool, agentLoop } from "@earendil-works/pi-agent-core";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { type PiMessage, type PiModel, type PiRequest, type PiResponse, type PiStream, piModel } from "@palimpsest/pi";
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  type Script,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type Session, type Store } from "palimpsest";

interface EngineOptions {
  readonly store: Store;
  /** Calls the model for summaries: with keys, and at most the tools of the host. */
  readonly stream: PiStream;
  readonly model: PiModel;
}

/** The part of OpenClaw's `ContextEngine` that is needed. */
export interface ContextEngine {
  readonly info: { readonly id: string; readonly name: string; readonly ownsCompaction: boolean };
  ingest(): Promise<{ ingested: boolean }>;
  assemble<Message>(request: {
    sessionId: string;
    messages: Message[];
  }): Promise<{ messages: Message[]; estimatedTokens: number }>;
  compact(request: { sessionId: string }): Promise<{
    ok: boolean;
    compacted: boolean;
    reason?: string;
    result?: { tokensBefore: number; tokensAfter: number };
  }>;
  dispose(): Promise<void>;
}

/** What fills the slot: `api.registerContextEngine("palimpsest", () => contextEngine({ store, stream, model }))`. */
function contextEngine({ store, stream, model }: EngineOptions): ContextEngine {
  const provider = piModel(stream, model);
  const open = new Map<string, Promise<Session<PiRequest, PiResponse>>>();
  const sessionOf = (id: string): Promise<Session<PiRequest, PiResponse>> => {
    const found = open.get(id) ?? openSession({ store, provider, id, model: model.id, takeover: "always" });
    open.set(id, found);
    return found;
  };
  return {
    info: { id: "palimpsest", name: "Palimpsest", ownsCompaction: true },
    // The host's transcript has all messages, and each request brings it whole.
    ingest: async () => ({ ingested: false }),
    async assemble<Message>({ sessionId, messages }: { sessionId: string; messages: Message[] }) {
      const session = await sessionOf(sessionId);
      const list = provider.readMessages(messages as unknown as PiMessage[]);
      await session.sync(list.map(({ role, blocks }) => ({ role, content: blocks })));
      const { messages: shown } = await session.prepare();
      return { messages: [...shown] as unknown as Message[], estimatedTokens: session.view.size().tokens };
    },
    async compact({ sessionId }) {
      const session = await sessionOf(sessionId);
      const outcome = await session.compact();
      if (outcome.kind !== "compacted") return { ok: true, compacted: false, reason: outcome.kind };
      const { tokensBefore, tokensAfter } = outcome;
      return { ok: true, compacted: true, result: { tokensBefore, tokensAfter } };
    },
    async dispose() {
      for (const session of open.values()) await (await session).close();
    },
  };
}

const WINDOW_TOKENS = 20_000;
const facts = ANTHROPIC_MODELS.find(({ id }) => id === "claude-opus-5-5")!;
const script: Script = ({ purpose, toolResults }) => {
  if (purpose === "summary") return summarize("Tickets were read, one after the other.");
  return toolResults.length > 0 ? answer("Read.") : callTools(callTool("read", {}));
};
const server = await serve({
  faces: [createAnthropic({ script, models: [{ ...facts, windowTokens: WINDOW_TOKENS }] })],
});
const model: PiModel = {
  id: facts.id,
  name: facts.id,
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl: server.url,
  reasoning: true,
  input: ["text"],
  cost: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  contextWindow: WINDOW_TOKENS,
  maxTokens: 4_000,
  compat: { forceAdaptiveThinking: true },
};
const plain = anthropicMessagesApi().streamSimple;
const stream: PiStream = (one, context, options) =>
  plain(one, context, { reasoning: "low", ...options, apiKey: "none" });
const engine = contextEngine({ store: memoryStore(), stream, model });

// The host: it keeps the whole transcript, and asks the engine before each request.
const read: AgentTool = {
  name: "read",
  label: "Read",
  description: "Reads the next ticket.",
  parameters: { type: "object" },
  execute: async () => ({ content: [{ type: "text", text: "It rained all day. ".repeat(300) }], details: undefined }),
};
let transcript: AgentMessage[] = [{ role: "system", content: "You work at a support desk.", timestamp: 0 }];
for (let turn = 1; turn <= 25; turn++) {
  const prompt: AgentMessage = { role: "user", content: `Turn ${turn}: read the next ticket.`, timestamp: Date.now() };
  const loop = agentLoop(
    [prompt],
    { messages: transcript, tools: [read] },
    {
      model,
      convertToLlm: (messages) => messages as PiMessage[],
      transformContext: async (messages) => {
        const system = messages.filter(({ role }) => role === "system");
        const { messages: shown } = await engine.assemble({ sessionId: "tickets", messages });
        return [...system, ...shown];
      },
    },
    undefined,
    stream,
  );
  transcript = [...transcript, ...(await loop.result())];
}
const { refused, answered } = server.recorder.total();
const summaries = server.recorder.exchanges.filter(({ body }) => body.includes("<summary> block")).length;
console.log(
  `${answered} requests, ${summaries} for summaries, ${refused} refused; the transcript has ${transcript.length} messages`,
);
if (refused > 0) throw new Error("a request was refused");
await engine.dispose();
await server.close();
