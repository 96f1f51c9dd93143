/** One policy value governs three programs: an application's own loop, an agent on the AI SDK, and an agent on LangChain. */
import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { ChatAnthropic } from "@langchain/anthropic";
import { palimpsest as forAiSdk } from "@palimpsest/ai-sdk";
import { palimpsest as forLangChain } from "@palimpsest/langchain";
import { answer, type Script, serve, createAnthropic as simulate } from "@palimpsest/provider-simulator";
import { type ModelMessage, ToolLoopAgent, wrapLanguageModel } from "ai";
import { type BaseMessage, createAgent, HumanMessage } from "langchain";
import { memoryStore, openSession, type Session } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { prose, support } from "palimpsest/policy";

const preset = support({ ids: /ORD-\d{6}/ });
const policy = {
  ...preset,
  name: "kettles",
  compact: { ...preset.compact, summary: prose("What we promised, and to whom.") },
};

const MODEL = "claude-opus-5-5";
const script: Script = ({ purpose }) =>
  answer(
    purpose === "summary" ? "<summary>\nAnn gets a new kettle for each order.\n</summary>" : "We send you a new one.",
  );

type Say = (text: string) => Promise<unknown>;
/** A program: how it sends a message, and the session behind its conversation. */
interface Program {
  readonly say: Say;
  session(): Session;
}

async function ownLoop(url: string): Promise<Program> {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  const session = await openSession({ store: memoryStore(), provider: anthropic(client), model: MODEL, policy });
  return {
    session: () => session,
    async say(text) {
      await session.append(text);
      await session.record(await client.messages.create(await session.prepare()));
    },
  };
}

function onAiSdk(url: string): Program {
  const context = forAiSdk({ store: memoryStore(), policy });
  const client = createAnthropic({ apiKey: "none", baseURL: `${url}/v1` });
  const agent = new ToolLoopAgent({
    model: wrapLanguageModel({ model: client(MODEL), middleware: context }),
    providerOptions: { palimpsest: { session: "kettles" } },
  });
  const messages: ModelMessage[] = [];
  return {
    session: () => context.sessions()[0]!,
    async say(text) {
      messages.push({ role: "user", content: text });
      messages.push(...(await agent.generate({ messages })).responseMessages);
    },
  };
}

function onLangChain(url: string): Program {
  const context = forLangChain({ store: memoryStore(), policy });
  const model = new ChatAnthropic({ model: MODEL, apiKey: "none", anthropicApiUrl: url, maxTokens: 2_000 });
  const agent = createAgent({ model, tools: [], middleware: [context] });
  let messages: BaseMessage[] = [];
  return {
    session: () => context.sessions()[0]!,
    async say(text) {
      const input = { messages: [...messages, new HumanMessage(text)] };
      ({ messages } = await agent.invoke(input, { configurable: { thread_id: "kettles" } }));
    },
  };
}

for (const [name, open] of Object.entries({ ownLoop, onAiSdk, onLangChain })) {
  const server = await serve({ faces: [simulate({ script })] });
  const { say, session } = await open(server.url);
  const orders = Array.from({ length: 40 }, (_, index) => `ORD-${100_000 + 37 * index}`);
  for (const order of orders) await say(`${"The kettle leaks, and nobody answers. ".repeat(200)}It is order ${order}.`);

  const explained = await session().history.explain();
  const compactions = explained.flatMap(({ compaction }) => (compaction === undefined ? [] : [compaction]));
  console.log(`${name}: ${compactions.length} compactions by the policy "${session().history.decision().policy}"`);
  const sent = server.recorder.last?.body ?? "";
  const lost = orders.filter((order) => !sent.includes(order));
  if (lost.length > 0) throw new Error(`${name}: the model no longer sees ${lost.join(", ")}.`);
  if (compactions.length === 0 || compactions.some(({ summary }) => !summary.met))
    throw new Error(`${name}: a compaction has no summary in prose.`);
  if (server.recorder.total().refused > 0) throw new Error(`${name}: a request was refused.`);
  await server.close();
}
