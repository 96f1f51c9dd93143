import { ChatAnthropic } from "@langchain/anthropic";
import * as simulator from "@palimpsest/provider-simulator";
import {
  AIMessage,
  type BaseMessage,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  HumanMessage,
  modelRetryMiddleware,
  summarizationMiddleware,
  tool,
  toolStrategy,
} from "langchain";
import { memoryStore, type Store } from "palimpsest";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { readCompactions } from "./compactions.ts";
import { type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

const MODEL = "claude-opus-5-5";
/** A model that can be forced to call a tool. */
const FORCED = "claude-sonnet-4-6";
const { answer, callTool, callTools, think } = simulator;

type Middleware = NonNullable<Parameters<typeof createAgent>[0]["middleware"]>[number];

interface World {
  readonly store: Store;
  readonly context: ReturnType<typeof palimpsest>;
  readonly server: simulator.SimulatorServer;
  /** Runs the agent on a list of messages. Resolves to the new list. */
  run(messages: readonly BaseMessage[], thread?: string): Promise<BaseMessage[]>;
  /** Runs the agent like `run`, but streams token by token. */
  stream(messages: readonly BaseMessage[], thread?: string): Promise<BaseMessage[]>;
  model(id?: string): ChatAnthropic;
  /** Starts a second process with the same store. */
  restart(): Promise<World>;
}

interface WorldOptions extends Partial<PalimpsestOptions> {
  readonly windowTokens?: number;
  /** Middleware before ours. The framework's own middleware does not fit its types. */
  readonly before?: (model: ChatAnthropic) => readonly unknown[];
  readonly server?: simulator.SimulatorServer;
}

/** Connects the real agent and the real client to the simulator through the adapter. */
async function world(script: simulator.Script, options: WorldOptions = {}): Promise<World> {
  const { windowTokens, before = () => [], server: given, ...rest } = options;
  const facts = simulator.ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
  const models = windowTokens === undefined ? [] : [{ ...facts, windowTokens }];
  const server = given ?? (await simulator.serve({ faces: [simulator.createAnthropic({ script, models })] }));
  if (given === undefined) onTestFinished(() => server.close());
  const store = rest.store ?? memoryStore();
  const context = palimpsest({ settingsFrom: { environment: {} }, ...rest, store });
  onTestFinished(() => context.close());
  const model = (id = MODEL) =>
    new ChatAnthropic({ model: id, apiKey: "none", anthropicApiUrl: server.url, maxRetries: 0, maxTokens: 2_000 });
  const agent = createAgent({
    model: model(),
    tools: [look],
    systemPrompt: "Be brief.",
    middleware: [...before(model()), context] as Middleware[],
  });
  const configFor = (thread: string | undefined) => ({
    configurable: thread === undefined ? {} : { thread_id: thread },
  });
  return {
    store,
    context,
    server,
    model,
    async run(messages, thread) {
      const result = await agent.invoke({ messages: [...messages] }, configFor(thread));
      return result.messages as BaseMessage[];
    },
    async stream(messages, thread) {
      let last: BaseMessage[] = [];
      const options = { ...configFor(thread), streamMode: ["messages", "values"] as ["messages", "values"] };
      for await (const [mode, chunk] of await agent.stream({ messages: [...messages] }, options)) {
        if (mode === "values") last = (chunk as unknown as { messages: BaseMessage[] }).messages;
      }
      return last;
    },
    async restart() {
      await context.close();
      return world(script, { ...options, store, server });
    },
  };
}

const refused = ({ recorder }: simulator.SimulatorServer) =>
  recorder.exchanges.filter(({ outcome }) => outcome.kind === "refused");
/** Returns the messages of a request without cache marks, which move with the end. */
const messagesOf = ({ recorder }: simulator.SimulatorServer, at = -1): string[] =>
  JSON.parse(recorder.exchanges.at(at)!.body, (name, value) =>
    name === "cache_control" ? undefined : value,
  ).messages.map((message: unknown) => JSON.stringify(message));

const look = tool(
  ({ at }) => {
    if (at === 13) throw new Error("nope");
    return `There is a tree at ${at}.`;
  },
  { name: "look", description: "Looks at a place.", schema: z.object({ at: z.number() }) },
);
/** Calls a tool twice, then answers with text. */
const looking =
  (at: number): simulator.Script =>
  ({ toolResults }) =>
    toolResults.length > 0
      ? answer(`Done: ${toolResults.length} results.`)
      : think("Let me see.", callTools(callTool("look", { at }), callTool("look", { at: at + 1 })));
const echo: simulator.Script = ({ userText }) => answer(`You said ${userText}`);
const user = (text: string) => new HumanMessage(text);
const textOf = (messages: readonly BaseMessage[]) => messages.at(-1)?.text;

describe("the middleware", () => {
  test("adopts the agent's messages, records answers and their price, and names the session by its thread", async () => {
    const { run, context, server } = await world(looking(1));
    const messages = await run([user("What is there?")], "chat");
    expect(textOf(messages)).toBe("Done: 2 results.");
    const [session, ...others] = context.sessions();
    expect(others).toEqual([]);
    expect(session!.id).toBe("chat");
    expect(messages.at(-1)!.response_metadata).toMatchObject({ palimpsest: { session: "chat" } });
    expect(session!.ledger.totals()).toMatchObject({ responses: 2 });
    expect((await session!.ledger.cost()).priceUsd).toBeGreaterThan(0);
    expect(refused(server)).toEqual([]);
  });

  test("continues the session that the messages identify, streamed or whole, in this process and in another one", async () => {
    const first = await world(looking(1));
    const list = await first.stream([user("one")]);
    const sent = messagesOf(first.server);
    const { run, store, server } = await first.restart();
    await run([...list, user("two")]);
    expect((await store.list()).sessions).toHaveLength(1);
    expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    expect(refused(server)).toEqual([]);
  });

  test("rewinds to an edited message, and keeps everything before it in later requests", async () => {
    const { run, server, context } = await world(echo);
    let list: BaseMessage[] = [];
    for (const words of ["one", "two", "three"]) list = await run([...list, user(words)], "chat");
    await run([...list.slice(0, 2), user("zwei")], "chat");
    expect(messagesOf(server)).toEqual([...messagesOf(server, 1).slice(0, 2), expect.stringContaining("zwei")]);
    expect(context.sessions()).toHaveLength(1);
  });

  test("sends a failed tool as a result to the model, as without the middleware", async () => {
    const { run, server } = await world(looking(12));
    expect(textOf(await run([user("What is there?")], "chat"))).toBe("Done: 2 results.");
    expect(messagesOf(server).join()).toContain("nope");
    expect(refused(server)).toEqual([]);
  });

  test("changes nothing if a retry brings the same messages again", async () => {
    let failures = 2;
    const script: simulator.Script = (asked) =>
      failures-- > 0 ? { ...answer("no"), fault: simulator.rateLimited({ retryAfterSeconds: 0.01 }) } : echo(asked);
    const before = () => [modelRetryMiddleware({ maxRetries: 3, initialDelayMs: 1, jitter: false })];
    const { run, server, context } = await world(script, { before });
    expect(textOf(await run([user("one")], "chat"))).toBe("You said one");
    expect(server.recorder.exchanges).toHaveLength(3);
    expect(messagesOf(server, 0)).toEqual(messagesOf(server));
    expect(context.sessions()).toHaveLength(1);
  });
});

describe("another context manager", () => {
  const told: string[] = [];
  const onNotice = ({ kind }: { kind: string }) => told.push(kind);

  test("warns about context editing, and keeps the sent content", async () => {
    told.length = 0;
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 1 } })];
    const { run, server } = await world(looking(1), {
      onNotice,
      before: () => [contextEditingMiddleware({ edits })],
    });
    const list = await run([user("one")], "chat");
    const sent = messagesOf(server);
    await run([...list, user("two")], "chat");
    expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    expect(told).toEqual(["cleared"]);
    expect(refused(server)).toEqual([]);
  });

  test("warns about summarization, and keeps the beginning in the session", async () => {
    told.length = 0;
    const { run, server } = await world(echo, {
      onNotice,
      before: (model) => [summarizationMiddleware({ model, trigger: { messages: 7 }, keep: { messages: 4 } } as never)],
    });
    let list: BaseMessage[] = [];
    for (const words of ["one", "two", "three", "four", "five"]) list = await run([...list, user(words)], "chat");
    expect(told).toContain("trimmed");
    expect(messagesOf(server)[0]).toContain("one");
    expect(refused(server)).toEqual([]);
  });
});

describe("a full window", () => {
  const words = "All work and no play makes a long conversation. ".repeat(60);
  const script: simulator.Script = ({ purpose, userText }) =>
    purpose === "summary"
      ? simulator.summarize("They talked about work and play.")
      : answer(`You said: ${[...userText.matchAll(/(\d+): All/g)].at(-1)?.[1]}`);

  test("reports compactions in the metadata of the answer, live and stored", async () => {
    const { run, server } = await world(script, {
      windowTokens: 20_000,
      models: { [MODEL]: { windowTokens: 20_000 } },
    });
    let list: BaseMessage[] = [];
    for (let at = 0; at < 40; at++) list = await run([...list, user(`${at}: ${words}`)], "chat");
    const shown = list.flatMap(readCompactions);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown[0]).toMatchObject({
      session: "chat",
      tokensBefore: expect.any(Number),
      summary: { way: expect.stringMatching(/^(prepared|fork)$/), form: "coding", met: true },
    });
    expect(list.map((message) => message.toDict()).flatMap(readCompactions)).toEqual(shown);
    expect(refused(server)).toEqual([]);
  });

  test("compacts the session and repeats the call after an overflow", async () => {
    // The session assumes a larger window than the service has.
    const { run, server } = await world(script, {
      windowTokens: 12_000,
      models: { [MODEL]: { windowTokens: 40_000 } },
    });
    let list: BaseMessage[] = [];
    for (let at = 0; at < 30; at++) {
      list = await run([...list, user(`${at}: ${words}`)], "chat");
      expect(textOf(list)).toContain(`You said: ${at}`);
    }
    expect(refused(server).length).toBeGreaterThan(0);
  });
});

describe("recall", () => {
  test("is a tool of the agent unless the option leaves it out", async () => {
    for (const recall of ["offered", "left-out"] as const) {
      const { run, server } = await world(echo, { recall });
      await run([user("one")], "chat");
      const tools: { name: string }[] = JSON.parse(server.recorder.exchanges[0]!.body).tools;
      expect(tools.map(({ name }) => name).includes("recall")).toBe(recall === "offered");
    }
  });

  test("reads compacted content in the session of its call", async () => {
    const { run } = await world(({ toolResults }) =>
      toolResults.length > 0 ? answer(toolResults[0]!.text) : callTools(callTool("recall", { search: "port" })),
    );
    expect(textOf(await run([user("Which port was it?")], "chat"))).toMatch(/^entry \d+: .*port/);
  });
});

describe("an interrupted answer", () => {
  const LONG = "This will not be read to its end. ".repeat(20);
  const stalling =
    (stallMs = 60_000): simulator.Script =>
    ({ userText }) =>
      userText.includes("stall") && !userText.includes("next")
        ? { ...answer(LONG), fault: simulator.stallStream(8, stallMs) }
        : answer(`You said ${userText}`);

  /** Streams an answer that stalls, and stops reading when the first part has arrived. */
  async function stopped(how: "signal" | "break" | "events", stallMs?: number) {
    const made = await world(stalling(stallMs));
    const agent = createAgent({ model: made.model(), tools: [look], middleware: [made.context] as Middleware[] });
    const abort = new AbortController();
    const config = { configurable: { thread_id: "chat" }, signal: abort.signal };
    const list = { messages: [user("stall")] };
    const read = async (): Promise<void> => {
      if (how === "events") {
        const run = await agent.streamEvents(list, { ...config, version: "v3" } as never);
        for await (const event of run) if (JSON.stringify(event).includes("This")) abort.abort();
        return;
      }
      for await (const [message] of await agent.stream(list, { ...config, streamMode: "messages" })) {
        if ((message as BaseMessage).text === "") continue;
        if (how === "break") return;
        abort.abort();
      }
    };
    await read().catch(() => {});
    return made;
  }

  test.each(["signal", "events"] as const)("counts in the ledger, but is not in the conversation (%s)", async (how) => {
    const { run, context, server } = await stopped(how);
    const totals = () => context.sessions()[0]?.ledger.totals();
    await expect.poll(() => totals()?.outputTokens ?? 0).toBeGreaterThan(0);
    expect(totals()!.freshTokens + totals()!.cacheWriteTokens + totals()!.cacheReadTokens).toBeGreaterThan(100);
    expect(textOf(await run([user("stall"), user("next")], "chat"))).toContain("next");
    expect(messagesOf(server).join()).not.toContain("This will not");
    expect(refused(server)).toEqual([]);
  });

  test("is recorded whole if only the loop over the stream ends early, because the framework reads on", async () => {
    const { context } = await stopped("break", 300);
    await expect.poll(() => context.sessions()[0]?.ledger.totals().responses ?? 0).toBe(1);
    expect(JSON.stringify((await context.sessions()[0]!.messages()).messages)).toContain(LONG);
  });

  test("does not replace the callbacks of the application", async () => {
    const { context, model } = await world(echo);
    const heard: string[] = [];
    const own = createMiddleware({
      name: "own",
      wrapModelCall: (request, handler) =>
        handler({
          ...request,
          modelSettings: { callbacks: [{ handleLLMEnd: () => void heard.push("settings") }] },
        }),
    });
    const agent = createAgent({ model: model(), tools: [], middleware: [own, context] as Middleware[] });
    const callbacks = [{ handleLLMEnd: () => void heard.push("run") }];
    await agent.invoke({ messages: [user("one")] }, { callbacks });
    await expect.poll(() => heard.sort()).toEqual(["run", "settings"]);
  });
});

test("returns and records a structured answer of a tool, and continues the conversation", async () => {
  const script: simulator.Script = ({ tools }) => {
    const name = tools.map(String).find((one) => one.startsWith("extract"));
    return callTools(callTool(name ?? "extract-1", { colour: "green" }));
  };
  const made = await world(script);
  const agent = createAgent({
    model: made.model(FORCED),
    tools: [],
    responseFormat: toolStrategy(z.object({ colour: z.string() })),
    middleware: [made.context] as Middleware[],
  });
  const go = (messages: readonly BaseMessage[]) =>
    agent.invoke({ messages: [...messages] }, { configurable: { thread_id: "chat" } });
  const first = await go([user("Which colour?")]);
  expect(first.structuredResponse).toEqual({ colour: "green" });
  const second = await go([...(first.messages as BaseMessage[]), user("And now?")]);
  expect(second.structuredResponse).toEqual({ colour: "green" });
  expect(made.context.sessions()[0]!.ledger.totals()).toMatchObject({ responses: 2 });
  const sent = messagesOf(made.server, 0);
  expect(messagesOf(made.server).slice(0, sent.length)).toEqual(sent);
  expect(refused(made.server)).toEqual([]);
});

test("reports a failing store to the caller, and continues with the next call", async () => {
  const store = memoryStore();
  let fails = false;
  const failing: Store = {
    ...store,
    async openWriter(...given) {
      const opened = await store.openWriter(...given);
      if (opened.kind !== "opened") return opened;
      const { writer } = opened;
      const append: typeof writer.append = async (entries) => {
        if (fails) throw new Error("the disk is full. Free some space and try again");
        return writer.append(entries);
      };
      return { ...opened, writer: { ...writer, append } };
    },
  };
  const { run, server } = await world(echo, { store: failing });
  const list = await run([user("one")], "chat");
  fails = true;
  await expect(run([...list, user("two")], "chat")).rejects.toThrow("the disk is full. Free some space");
  expect(server.recorder.exchanges).toHaveLength(1);
  fails = false;
  expect(textOf(await run([...list, user("two")], "chat"))).toBe("You said two");
  expect(messagesOf(server)).toHaveLength(3);
});

test("adopts answers that the session has not recorded", async () => {
  const { run, server } = await world(echo);
  await run([user("one"), new AIMessage("Yes."), user("two")], "chat");
  expect(messagesOf(server)).toHaveLength(3);
  expect(refused(server)).toEqual([]);
});

test("opens a separate session for an agent that another agent calls in the same thread", async () => {
  const { model, context, server } = await world(({ userText, toolResults }) => {
    if (userText.includes("deep")) return answer("Deep.");
    return toolResults.length > 0 ? answer(toolResults.at(-1)!.text) : callTools(callTool("ask", {}));
  });
  const inner = createAgent({ model: model(), tools: [], middleware: [context] as Middleware[] });
  const ask = tool(
    async (_, config) => textOf((await inner.invoke({ messages: [user("deep")] }, config)).messages as BaseMessage[]),
    {
      name: "ask",
      description: "Asks.",
      schema: z.object({}),
    },
  );
  const outer = createAgent({ model: model(), tools: [ask], middleware: [context] as Middleware[] });
  const { messages } = await outer.invoke({ messages: [user("Ask.")] }, { configurable: { thread_id: "chat" } });
  expect(textOf(messages as BaseMessage[])).toBe("Deep.");
  const ids = context.sessions().map(({ id }) => id);
  expect(ids.sort()).toEqual(["chat", expect.stringMatching(/^chat\.[0-9a-f]{8}$/)]);
  expect(refused(server)).toEqual([]);
});

test("says what to pass if an option is invalid", () => {
  expect(() => palimpsest({} as never)).toThrow(/palimpsest.*store.*memoryStore/);
});
