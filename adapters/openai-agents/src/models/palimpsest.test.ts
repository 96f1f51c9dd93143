import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner, tool, user } from "@openai/agents";
import * as simulator from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { memoryStore, type Store } from "palimpsest";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCompactions } from "./compactions.ts";
import { type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

const MODEL = "gpt-5.2";
const { answer, callTool, callTools, think } = simulator;

interface World {
  readonly store: Store;
  readonly context: ReturnType<typeof palimpsest>;
  readonly server: simulator.SimulatorServer;
  readonly agent: Agent;
  runner(session?: string): Runner;
  /** Runs the agent on a list of items. Resolves to the new list, the answer and the responses. */
  run(
    items: readonly AgentInputItem[],
    way?: "whole" | "streamed",
  ): Promise<{ list: AgentInputItem[]; text: unknown; responses: readonly unknown[] }>;
  /** Starts a second process with the same store. */
  restart(): Promise<World>;
}

interface WorldOptions extends Partial<PalimpsestOptions> {
  readonly windowTokens?: number;
  readonly server?: simulator.SimulatorServer;
  readonly recall?: "offered";
}

/** Connects the real agent and the real client to the simulator through the adapter. */
async function world(script: simulator.Script, options: WorldOptions = {}): Promise<World> {
  const { windowTokens, server: given, recall, ...rest } = options;
  const facts = simulator.openAiModels[MODEL]!;
  const models: Record<string, typeof facts> =
    windowTokens === undefined ? {} : { [MODEL]: { ...facts, windowTokens, maxInputTokens: windowTokens } };
  const server = given ?? (await simulator.serve({ faces: [simulator.createOpenAiResponses({ script, models })] }));
  if (given === undefined) onTestFinished(() => server.close());
  const store = rest.store ?? memoryStore();
  const context = palimpsest({ settingsFrom: { environment: {} }, ...rest, store });
  onTestFinished(() => context.close());
  const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
  const provider = new OpenAIProvider({ openAIClient: client as never, useResponses: true });
  const agent = new Agent({
    name: "helper",
    instructions: "Be brief.",
    model: MODEL,
    modelSettings: { reasoning: { effort: "low" } },
    tools: [look, ...(recall === "offered" ? [context.recall as unknown as typeof look] : [])],
  });
  const runner = (session?: string) =>
    new Runner({ modelProvider: context.models(provider, session), tracingDisabled: true });
  return {
    store,
    context,
    server,
    agent,
    runner,
    async run(items, way = "whole") {
      if (way === "whole") {
        const result = await runner("chat").run(agent, [...items]);
        return { list: result.history, text: result.finalOutput, responses: result.rawResponses };
      }
      const result = await runner("chat").run(agent, [...items], { stream: true });
      for await (const _ of result);
      await result.completed;
      return { list: result.history, text: result.finalOutput, responses: result.rawResponses };
    },
    async restart() {
      await context.close();
      return world(script, { ...options, store, server });
    },
  };
}

const look = tool({
  name: "look",
  description: "Looks at a place.",
  parameters: { type: "object", properties: { at: { type: "number" } }, required: ["at"], additionalProperties: true },
  strict: false,
  execute: async (input) => {
    const { at } = input as { at: number };
    if (at === 13) throw new Error("nope");
    return `There is a tree at ${at}.`;
  },
});
const refused = ({ recorder }: simulator.SimulatorServer) =>
  recorder.exchanges.filter(({ outcome }) => outcome.kind === "refused");
const inputOf = ({ recorder }: simulator.SimulatorServer, at = -1): string[] =>
  JSON.parse(recorder.exchanges.at(at)!.body).input.map((item: unknown) => JSON.stringify(item));
/** Calls a tool twice, then answers with text. */
const looking =
  (at: number): simulator.Script =>
  ({ toolResults }) =>
    toolResults.length > 0
      ? answer(`Done: ${toolResults.length} results.`)
      : think("Let me see.", callTools(callTool("look", { at }), callTool("look", { at: at + 1 })));
const echo: simulator.Script = ({ userText }) => answer(`You said ${userText}`);

describe("the models", () => {
  test("adopt the agent's items, record answers and their price, and send encrypted reasoning back", async () => {
    const { run, context, server } = await world(looking(1));
    const { text, responses } = await run([user("What is there?")]);
    expect(text).toBe("Done: 2 results.");
    const [session, ...others] = context.sessions();
    expect(others).toEqual([]);
    expect(session!.id).toBe("chat");
    expect(responses.at(-1)).toMatchObject({ providerData: { palimpsest: { session: "chat" } } });
    expect(session!.ledger.totals()).toMatchObject({ responses: 2 });
    expect((await session!.ledger.cost()).priceUsd).toBeGreaterThan(0);
    expect(inputOf(server).join()).toContain("encrypted_content");
    expect(refused(server)).toEqual([]);
  });

  test("continue the same session, streamed or whole, in this process and in another one", async () => {
    const first = await world(looking(1));
    const { list } = await first.run([user("one")], "streamed");
    const sent = inputOf(first.server);
    const { run, store, server } = await first.restart();
    await run([...list, user("two")]);
    expect((await store.list()).sessions).toHaveLength(1);
    expect(inputOf(server).slice(0, sent.length)).toEqual(sent);
    expect(refused(server)).toEqual([]);
  });

  test("recognize a conversation without a name by its items, and work with a session of the SDK", async () => {
    const { runner, agent, store, server } = await world(echo);
    const session = new MemorySession();
    for (const words of ["one", "two", "three"]) await runner().run(agent, words, { session });
    expect((await store.list()).sessions).toHaveLength(1);
    expect(inputOf(server)).toHaveLength(5);
    expect(refused(server)).toEqual([]);
  });

  test("rewinds to an edited message, and keeps everything before it in later requests", async () => {
    const { run, server, context } = await world(echo);
    let list: AgentInputItem[] = [];
    for (const words of ["one", "two", "three"]) ({ list } = await run([...list, user(words)]));
    await run([...list.slice(0, 2), user("zwei")]);
    expect(inputOf(server)).toEqual([...inputOf(server, 1).slice(0, 2), expect.stringContaining("zwei")]);
    expect(context.sessions()).toHaveLength(1);
  });

  test("send a failed tool as a result to the model, and warn about a list that lacks its beginning", async () => {
    const told: string[] = [];
    const { run, server } = await world(looking(12), { onNotice: ({ kind }) => told.push(kind) });
    let list: AgentInputItem[] = [];
    for (const words of ["one", "two", "three"]) ({ list } = await run([...list, user(words)]));
    expect(inputOf(server).join()).toContain("An error occurred while running the tool");
    const starts = list.flatMap((item, at) => ("role" in item && item.role === "user" ? [at] : []));
    await run([...list.slice(starts[1]), user("four")]);
    expect(told).toEqual(["trimmed"]);
    expect(inputOf(server)[0]).toContain("one");
    expect(refused(server)).toEqual([]);
  });

  test("pass a conversation that the service stores on unchanged", async () => {
    const { runner, agent, context, server } = await world(echo);
    const stored = agent.clone({ modelSettings: { store: true } });
    const first = await runner().run(stored, "one");
    await context.close();
    await runner().run(stored, "two", { previousResponseId: first.lastResponseId! });
    expect(inputOf(server)).toHaveLength(1);
    expect(context.sessions()).toEqual([]);
  });
});

describe("a full window", () => {
  const words = "All work and no play makes a long conversation. ".repeat(60);
  const script: simulator.Script = ({ purpose, userText }) =>
    purpose === "summary"
      ? simulator.summarize("They talked about work and play.")
      : answer(`You said: ${[...userText.matchAll(/(\d+): All/g)].at(-1)?.[1]}`);

  test("reports compactions in the data of the next response", async () => {
    const { run, server } = await world(script, {
      windowTokens: 20_000,
      models: { [MODEL]: { windowTokens: 20_000 } },
    });
    let list: AgentInputItem[] = [];
    const shown: unknown[] = [];
    for (let at = 0; at < 40; at++) {
      const result = await run([...list, user(`${at}: ${words}`)], at % 2 === 0 ? "whole" : "streamed");
      list = result.list;
      shown.push(...result.responses.flatMap(readCompactions));
    }
    expect(shown.length).toBeGreaterThan(0);
    expect(shown[0]).toMatchObject({
      session: "chat",
      summary: { way: expect.stringMatching(/^(prepared|fork)$/), form: "coding", met: true },
    });
    expect(refused(server)).toEqual([]);
  });

  test.each(["streamed", "whole"] as const)(
    "compacts the session and repeats the call after an overflow: %s",
    async (way) => {
      // The session assumes a larger window than the service has.
      const { run, server } = await world(script, {
        windowTokens: 12_000,
        models: { [MODEL]: { windowTokens: 40_000 } },
      });
      let list: AgentInputItem[] = [];
      for (let at = 0; at < 30; at++) {
        const result = await run([...list, user(`${at}: ${words}`)], way);
        expect(result.text).toContain(`You said: ${at}`);
        list = result.list;
      }
      expect(refused(server).length).toBeGreaterThan(0);
    },
  );
});

test("recall reads compacted content in the session of its call", async () => {
  const { run } = await world(
    ({ toolResults }) =>
      toolResults.length > 0 ? answer(toolResults[0]!.text) : callTools(callTool("recall", { search: "port" })),
    { recall: "offered" },
  );
  expect((await run([user("Which port was it?")])).text).toMatch(/^entry \d+: .*port/);
});

test("opens a separate session for an agent that is called as a tool", async () => {
  const { agent, runner, context, server } = await world(({ userText, toolResults }) => {
    if (userText.includes("deep")) return answer("Deep.");
    const result = toolResults.at(-1)?.text;
    return result === undefined ? callTools(callTool("ask", { input: "deep" })) : answer(result);
  });
  const ask = agent.asTool({ toolName: "ask", toolDescription: "Asks." });
  const asker = new Agent({ name: "asker", model: MODEL, tools: [ask] });
  const result = await runner("chat").run(asker, "Ask.");
  expect(result.finalOutput).toBe("Deep.");
  const ids = context.sessions().map(({ id }) => id);
  expect(ids.sort()).toEqual(["chat", expect.stringMatching(/^chat\.[0-9a-f]{8}$/)]);
  expect(refused(server)).toEqual([]);
});

test("says what to pass if an option is invalid", () => {
  expect(() => palimpsest({} as never)).toThrow(/palimpsest.*store.*memoryStore/);
});
