import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import * as simulator from "@palimpsest/provider-simulator";
import { memoryStore, type Store } from "palimpsest";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

const MODEL = "claude-opus-5-5";
const { answer, callTool, callTools, think } = simulator;

type Message = { role: "user" | "assistant"; content: unknown };
const user = (content: string): Message => ({ role: "user", content });

interface Ran {
  readonly list: Message[];
  readonly text: string;
  readonly warnings: readonly unknown[];
}

interface World {
  readonly store: Store;
  readonly context: ReturnType<typeof palimpsest>;
  readonly server: simulator.SimulatorServer;
  /** Runs the agent on a list of messages. Resolves to the new list and the answer. */
  run(messages: readonly Message[], way?: "whole" | "streamed"): Promise<Ran>;
  /** Starts a second process with the same store. */
  restart(): Promise<World>;
}

interface WorldOptions extends Partial<PalimpsestOptions> {
  readonly windowTokens?: number;
  readonly server?: simulator.SimulatorServer;
}

/** Connects the real agent and the real client to the simulator through the adapter. */
async function world(script: simulator.Script, options: WorldOptions = {}): Promise<World> {
  const { windowTokens, server: given, ...rest } = options;
  const facts = simulator.ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
  const models = windowTokens === undefined ? [] : [{ ...facts, windowTokens }];
  const server = given ?? (await simulator.serve({ faces: [simulator.createAnthropic({ script, models })] }));
  if (given === undefined) onTestFinished(() => server.close());
  const store = rest.store ?? memoryStore();
  const context = palimpsest({ settingsFrom: { environment: {} }, session: () => "chat", ...rest, store });
  onTestFinished(() => context.close());
  const agent = new Agent({
    id: "helper",
    name: "helper",
    instructions: "Be brief.",
    model: createAnthropic({ apiKey: "none", baseURL: `${server.url}/v1` })(MODEL) as MastraModelConfig,
    tools: { look },
    inputProcessors: [context],
  });
  return {
    store,
    context,
    server,
    async run(messages, way = "whole") {
      const input = [...messages] as never;
      const limits = { maxSteps: 5, modelSettings: { maxRetries: 0 } };
      const result = way === "whole" ? await agent.generate(input, limits) : await agent.stream(input, limits);
      const text = await result.text;
      const { messages: added } = (await result.response) as unknown as { messages: Message[] };
      const warnings = ((await result.warnings) ?? []) as readonly unknown[];
      return { list: [...messages, ...added], text, warnings };
    },
    async restart() {
      await context.close();
      return world(script, { ...options, store, server });
    },
  };
}

const look = createTool({
  id: "look",
  description: "Looks at a place.",
  inputSchema: z.object({ at: z.number() }),
  execute: async ({ at }) => {
    if (at === 13) throw new Error("nope");
    return `There is a tree at ${at}.`;
  },
});
const refused = ({ recorder }: simulator.SimulatorServer) =>
  recorder.exchanges.filter(({ outcome }) => outcome.kind === "refused");
/** Returns the messages of a request without cache marks, which move with the end. */
const messagesOf = ({ recorder }: simulator.SimulatorServer, at = -1): string[] =>
  JSON.parse(recorder.exchanges.at(at)!.body, (name, value) =>
    name === "cache_control" ? undefined : value,
  ).messages.map((message: unknown) => JSON.stringify(message));
const looking =
  (at: number): simulator.Script =>
  ({ toolResults }) =>
    toolResults.length > 0
      ? answer(`Done: ${toolResults.length} results.`)
      : think("Let me see.", callTools(callTool("look", { at }), callTool("look", { at: at + 1 })));
const echo: simulator.Script = ({ userText }) => answer(`You said ${userText}`);

describe("the processor", () => {
  test.each(["whole", "streamed"] as const)("puts a session between the agent and its model: %s", async (way) => {
    const { run, context, server } = await world(looking(1));
    expect((await run([user("What is there?")], way)).text).toBe("Done: 2 results.");
    const [session, ...others] = context.sessions();
    expect(others).toEqual([]);
    expect(session!.id).toBe("chat");
    expect(session!.ledger.totals()).toMatchObject({ responses: 2 });
    expect((await session!.ledger.cost()).priceUsd).toBeGreaterThan(0);
    expect(refused(server)).toEqual([]);
  });

  test("continues the same session, streamed or whole, in this process and in another one", async () => {
    const first = await world(looking(12));
    const { list } = await first.run([user("one")], "streamed");
    const sent = messagesOf(first.server);
    expect(sent.join()).toContain("nope");
    const { run, store, server } = await first.restart();
    await run([...list, user("two")]);
    expect((await store.list()).sessions).toHaveLength(1);
    expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    expect(refused(server)).toEqual([]);
  });

  test("does not change sent steps that Mastra joins into one message, with or without a session name", async () => {
    let answers = 0;
    const script: simulator.Script = () =>
      answers++ % 3 === 2 ? answer("Done.") : think("Hm.", callTools(callTool("look", { at: answers })));
    const { run, store, server } = await world(script, { session: () => undefined });
    let list: Message[] = [];
    for (const words of ["one", "two", "three"]) {
      const sent = server.recorder.exchanges.length === 0 ? [] : messagesOf(server);
      ({ list } = await run([...list, user(words)]));
      expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    }
    expect((await store.list()).sessions).toHaveLength(1);
    expect(refused(server)).toEqual([]);
  });

  test("rewinds to an edited message, and keeps everything before it in later requests", async () => {
    const { run, server, context } = await world(echo);
    let list: Message[] = [];
    for (const words of ["one", "two", "three"]) ({ list } = await run([...list, user(words)]));
    await run([...list.slice(0, 2), user("zwei")]);
    expect(messagesOf(server)).toEqual([...messagesOf(server, 1).slice(0, 2), expect.stringContaining("zwei")]);
    expect(context.sessions()).toHaveLength(1);
  });

  test("still shows earlier messages if the list has only the newest ones, and warns once", async () => {
    const { run, server, context } = await world(echo);
    let list: Message[] = [];
    const told: string[] = [];
    for (const words of ["one", "two", "three"]) ({ list } = await run([...list, user(words)]));
    const sent = messagesOf(server);
    for (const words of ["four", "five"]) {
      const ran = await run([...list.slice(-2), user(words)]);
      told.push(JSON.stringify(ran.warnings));
      ({ list } = ran);
    }
    expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    expect(told).toEqual([expect.stringContaining("beginning"), "[]"]);
    expect(context.sessions()).toHaveLength(1);
    expect(refused(server)).toEqual([]);
  });

  test("reports compactions, and recovers from an overflow", async () => {
    const words = "All work and no play makes a long conversation. ".repeat(60);
    const shown: unknown[] = [];
    const { run, server } = await world(
      ({ purpose, userText }) =>
        purpose === "summary"
          ? simulator.summarize("They talked about work and play.")
          : answer(`You said: ${[...userText.matchAll(/(\d+): All/g)].at(-1)?.[1]}`),
      {
        // The session assumes a larger window than the service has.
        windowTokens: 12_000,
        models: { [MODEL]: { windowTokens: 40_000 } },
        onCompaction: (data) => shown.push(data),
      },
    );
    let list: Message[] = [];
    for (let at = 0; at < 30; at++) {
      const result = await run([...list, user(`${at}: ${words}`)], at % 2 === 0 ? "whole" : "streamed");
      expect(result.text).toContain(`You said: ${at}`);
      list = result.list;
    }
    expect(refused(server).length).toBeGreaterThan(0);
    expect(shown[0]).toMatchObject({ session: "chat", summary: { form: "coding", met: true } });
  });

  test("gives the agent the tool recall unless it is left out", async () => {
    for (const recall of ["offered", "left-out"] as const) {
      const { run, server } = await world(echo, { recall });
      await run([user("one")]);
      const tools: { name: string }[] = JSON.parse(server.recorder.exchanges[0]!.body).tools;
      expect(tools.map(({ name }) => name).includes("recall")).toBe(recall === "offered");
    }
  });

  test("recall reads compacted content in the session of its call", async () => {
    const { run } = await world(({ toolResults }) =>
      toolResults.length > 0 ? answer(toolResults[0]!.text) : callTools(callTool("recall", { search: "port" })),
    );
    expect((await run([user("Which port was it?")])).text).toMatch(/entry \d+: .*port/);
  });
});

test("refuses a model with another interface, and says which model to pass", () => {
  const context = palimpsest({ store: memoryStore() });
  const step = { model: { specificationVersion: "v2", modelId: "gpt" } } as never;
  expect(() => context.processInputStep(step)).toThrow(/AI SDK 7.*gpt has the interface v2.*@ai-sdk\/NAME 4/s);
});
