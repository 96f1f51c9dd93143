import { Agent, type AgentMessage, type AgentTool } from "@earendil-works/pi-agent-core";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import * as simulator from "@palimpsest/provider-simulator";
import { memoryStore, type Store } from "palimpsest";
import { describe, expect, onTestFinished, test } from "vitest";
import { CLAUDE, claude } from "../testing/models.ts";
import { readCompactions } from "./compactions.ts";
import { type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

const { answer, callTool, callTools, think } = simulator;

interface World {
  readonly store: Store;
  readonly context: ReturnType<typeof palimpsest>;
  readonly server: simulator.SimulatorServer;
  /** Creates an agent that continues a transcript. */
  agent(messages?: readonly AgentMessage[], sessionId?: string): Agent;
  /** Starts a second process with the same store. */
  restart(): Promise<World>;
}

interface WorldOptions extends Partial<PalimpsestOptions> {
  /** The window of the service. */
  readonly windowTokens?: number;
  /** The window that the agent assumes. @default the window of the service */
  readonly believedTokens?: number;
  readonly server?: simulator.SimulatorServer;
  readonly recall?: "offered";
}

/** Connects the real agent and the real client to the simulator through the adapter. */
async function world(script: simulator.Script, options: WorldOptions = {}): Promise<World> {
  const { windowTokens, believedTokens = windowTokens, server: given, recall, ...rest } = options;
  const facts = simulator.ANTHROPIC_MODELS.find(({ id }) => id === CLAUDE)!;
  const models = [{ ...facts, ...(windowTokens === undefined ? {} : { windowTokens }) }];
  const server = given ?? (await simulator.serve({ faces: [simulator.createAnthropic({ script, models })] }));
  if (given === undefined) onTestFinished(() => server.close());
  const store = rest.store ?? memoryStore();
  const context = palimpsest({ settingsFrom: { environment: {} }, ...rest, store });
  onTestFinished(() => context.close());
  const tools = [look, ...(recall === "offered" ? [context.recall as unknown as AgentTool] : [])];
  return {
    store,
    context,
    server,
    agent(messages = [], sessionId = "chat") {
      const made = new Agent({
        initialState: {
          systemPrompt: "Be brief.",
          model: claude(server.url, believedTokens),
          thinkingLevel: "low",
          tools,
        },
        getApiKey: () => "none",
        sessionId,
        streamFn: context.stream(anthropicMessagesApi().streamSimple),
      });
      if (messages.length > 0) made.state.messages = JSON.parse(JSON.stringify(messages));
      return made;
    },
    async restart() {
      await context.close();
      return world(script, { ...options, store, server });
    },
  };
}

const look: AgentTool = {
  name: "look",
  label: "Look",
  description: "Looks at a place.",
  parameters: { type: "object", properties: { at: { type: "number" } }, required: ["at"] } as never,
  async execute(_, input) {
    const { at } = input as { at: number };
    if (at === 13) throw new Error("nope");
    return { content: [{ type: "text", text: `There is a tree at ${at}.` }], details: undefined };
  },
};
const refused = ({ recorder }: simulator.SimulatorServer) =>
  recorder.exchanges.filter(({ outcome }) => outcome.kind === "refused");
/** Returns the content of a request without cache marks. */
const sentIn = ({ recorder }: simulator.SimulatorServer, at = -1): string[] =>
  JSON.parse(recorder.exchanges.at(at)!.body, (name, value) =>
    name === "cache_control" ? undefined : value,
  ).messages.map((message: unknown) => JSON.stringify(message));
const lastText = ({ state }: Agent): string => {
  const last = state.messages.at(-1);
  if (last?.role !== "assistant") return "";
  if (last.errorMessage !== undefined) throw new Error(last.errorMessage);
  return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
};
/** Calls a tool twice, then answers with text. */
const looking =
  (at: number): simulator.Script =>
  ({ toolResults }) =>
    toolResults.length > 0
      ? answer(`Done: ${toolResults.length} results.`)
      : think("Let me see.", callTools(callTool("look", { at }), callTool("look", { at: at + 1 })));
const echo: simulator.Script = ({ userText }) => answer(`You said ${userText}`);

describe("the stream function", () => {
  test("adopts the agent's transcript, records answers and their price, and sends signed thinking back", async () => {
    const { agent, context, server } = await world(looking(1));
    const one = agent();
    await one.prompt("What is there?");
    expect(lastText(one)).toBe("Done: 2 results.");
    const [session, ...others] = context.sessions();
    expect(others).toEqual([]);
    expect(session!.id).toBe("chat");
    expect(session!.ledger.totals()).toMatchObject({ responses: 2 });
    expect((await session!.ledger.cost()).priceUsd).toBeGreaterThan(0);
    expect(sentIn(server).join()).toContain('"signature"');
    expect(refused(server)).toEqual([]);
  });

  test("sends signed thinking back only to the model that wrote it", async () => {
    const { agent, server } = await world(looking(1));
    const one = agent();
    await one.prompt("one");
    expect(sentIn(server).join()).toContain('"signature"');
    const { model } = one.state;
    one.state.model = { ...model, id: "claude-sonnet-5-5", name: "another" };
    await one.prompt("two");
    const [first] = sentIn(server, -2).filter((message) => message.includes("There is a tree"));
    expect(first).toBeDefined();
    expect(sentIn(server, -2).join()).not.toContain('"signature"');
    one.state.model = model;
    await one.prompt("three");
    expect(refused(server)).toEqual([]);
  });

  test("continues the same session, in this process and in another one", async () => {
    const first = await world(looking(1));
    const one = first.agent();
    await one.prompt("one");
    const sent = sentIn(first.server);
    const { agent, store, server } = await first.restart();
    const two = agent(one.state.messages);
    await two.prompt("two");
    expect(lastText(two)).toBe("Done: 2 results.");
    expect((await store.list()).sessions).toHaveLength(1);
    expect(sentIn(server).slice(0, sent.length)).toEqual(sent);
    expect(refused(server)).toEqual([]);
  });

  test("recognizes a conversation without a name by its messages", async () => {
    const { agent, store, server } = await world(echo);
    let transcript: readonly AgentMessage[] = [];
    for (const words of ["one", "two", "three"]) {
      const next = agent(transcript, "");
      await next.prompt(words);
      transcript = next.state.messages;
    }
    expect((await store.list()).sessions).toHaveLength(1);
    expect(sentIn(server)).toHaveLength(5);
  });

  test("rewinds to an edited message, and keeps everything before it in later requests", async () => {
    const { agent, server, context } = await world(echo);
    const one = agent();
    for (const words of ["one", "two", "three"]) await one.prompt(words);
    const starts = one.state.messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
    const two = agent(one.state.messages.slice(0, starts[1]));
    await two.prompt("zwei");
    expect(sentIn(server)).toEqual([...sentIn(server, 1).slice(0, 2), expect.stringContaining("zwei")]);
    expect(context.sessions()).toHaveLength(1);
  });

  test("sends a failed tool as an error to the model, and warns about a transcript that lacks its beginning", async () => {
    const told: string[] = [];
    const { agent, server } = await world(looking(12), { onNotice: ({ kind }) => told.push(kind) });
    const one = agent();
    for (const words of ["one", "two", "three"]) await one.prompt(words);
    expect(sentIn(server).join()).toMatch(/"nope".*"is_error":true/);
    const [system, ...rest] = one.state.messages;
    const starts = rest.flatMap(({ role }, at) => (role === "user" ? [at] : []));
    await agent([system!, ...rest.slice(starts[1])]).prompt("four");
    expect(told).toEqual(["trimmed"]);
    expect(sentIn(server)[0]).toContain("one");
    expect(refused(server)).toEqual([]);
  });

  test("counts the price of an interrupted answer, and keeps the conversation valid", async () => {
    const { agent, server, context } = await world(({ userText }) =>
      userText.includes("stall") && !userText.includes("three")
        ? { ...answer("A beginning of an answer that never ends."), fault: simulator.stallStream(4, 60_000) }
        : answer(`You said ${userText}`),
    );
    const one = agent();
    await one.prompt("one");
    const running = one.prompt("stall");
    setTimeout(() => one.abort(), 200);
    await running;
    await one.prompt("three");
    expect(lastText(one)).toContain("three");
    expect(refused(server)).toEqual([]);
    expect(context.sessions()[0]!.ledger.totals().responses).toBeGreaterThanOrEqual(2);
  });

  test("reports a call as aborted if it is stopped during a compaction", async () => {
    const words = "All work and no play makes a long conversation. ".repeat(60);
    let stop = () => {};
    const { agent } = await world(
      ({ purpose }) => {
        if (purpose !== "summary") return answer("Yes.");
        stop();
        return { ...simulator.summarize("They talked."), fault: simulator.stallStream(2, 60_000) };
      },
      { windowTokens: 20_000 },
    );
    const one = agent();
    stop = () => one.abort();
    let last: AgentMessage | undefined;
    for (let at = 0; at < 30 && (last?.role !== "assistant" || last.stopReason === "stop"); at++) {
      await one.prompt(`${at}: ${words}`);
      last = one.state.messages.at(-1);
    }
    expect(last).toMatchObject({ role: "assistant", stopReason: "aborted" });
  });

  test("reports a refused request in the form of pi", async () => {
    const { agent } = await world(echo);
    const one = agent();
    one.state.model = { ...one.state.model, id: "no-such-model" };
    await one.prompt("one");
    expect(one.state.messages.at(-1)).toMatchObject({
      stopReason: "error",
      errorMessage: expect.stringContaining("404"),
    });
  });
});

describe("a full window", () => {
  const words = "All work and no play makes a long conversation. ".repeat(60);
  const script: simulator.Script = ({ purpose, userText }) =>
    purpose === "summary"
      ? simulator.summarize("They talked about work and play.")
      : answer(`You said: ${[...userText.matchAll(/(\d+): All/g)].at(-1)?.[1]}`);

  test("reports compactions with the next answer", async () => {
    const { agent, server } = await world(script, { windowTokens: 20_000 });
    const one = agent();
    for (let at = 0; at < 40; at++) await one.prompt(`${at}: ${words}`);
    const shown = one.state.messages.flatMap(readCompactions);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown[0]).toMatchObject({
      session: "chat",
      summary: { way: expect.stringMatching(/^(prepared|fork)$/), form: "coding", met: true },
    });
    expect(refused(server)).toEqual([]);
  });

  test("compacts the session and repeats the call after an overflow", async () => {
    const { agent, server } = await world(script, { windowTokens: 12_000, believedTokens: 40_000 });
    const one = agent();
    for (let at = 0; at < 30; at++) {
      await one.prompt(`${at}: ${words}`);
      expect(lastText(one)).toContain(`You said: ${at}`);
    }
    expect(refused(server).length).toBeGreaterThan(0);
  });
});

test("recall reads compacted content in the session of its call", async () => {
  const { agent } = await world(
    ({ toolResults }) =>
      toolResults.length > 0 ? answer(toolResults[0]!.text) : callTools(callTool("recall", { search: "port" })),
    { recall: "offered" },
  );
  const one = agent();
  await one.prompt("Which port was it?");
  expect(lastText(one)).toMatch(/^entry \d+: .*port/);
});

test("sends a changed system prompt, and names it in the ledger as the cause", async () => {
  const { agent, server, context } = await world(echo);
  const one = agent();
  await one.prompt("one ".repeat(3_000));
  one.state.messages = [
    { role: "system", content: "Be long.", timestamp: 0 } as never,
    ...one.state.messages.filter(({ role }) => role !== "system"),
  ];
  await one.prompt("two");
  expect(JSON.stringify(JSON.parse(server.recorder.exchanges.at(-1)!.body).system)).toContain("Be long.");
  expect(await context.sessions()[0]!.ledger.cost()).toMatchObject({ byCause: { system: { breaks: 1 } } });
});

test("says what to pass if an option is invalid", () => {
  expect(() => palimpsest({} as never)).toThrow(/palimpsest.*store.*memoryStore/);
});
