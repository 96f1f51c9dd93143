import { createAnthropic } from "@ai-sdk/anthropic";
import * as simulator from "@palimpsest/provider-simulator";
import {
  convertToModelMessages,
  generateText,
  jsonSchema,
  type ModelMessage,
  pruneMessages,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { memoryStore, type Store } from "palimpsest";
import { describe, expect, onTestFinished, test } from "vitest";
import { readCompaction } from "./compaction-part.ts";
import { type PalimpsestOptions, palimpsest } from "./palimpsest.ts";

const MODEL = "claude-opus-5-5";
/** A model that can be forced to call a tool. */
const FORCED = "claude-sonnet-4-6";
const { answer, callTool, callTools, think } = simulator;

interface World {
  readonly store: Store;
  readonly context: ReturnType<typeof palimpsest>;
  readonly model: ReturnType<typeof wrapLanguageModel>;
  readonly server: simulator.SimulatorServer;
  /** Starts a second process with the same store. */
  restart(): Promise<Pick<World, "context" | "model">>;
}

/** Connects the real provider to the simulator through the middleware. */
async function world(
  script: simulator.Script,
  options: Partial<PalimpsestOptions> & { windowTokens?: number; modelId?: string } = {},
): Promise<World> {
  const { windowTokens, modelId = MODEL, ...rest } = options;
  const facts = simulator.ANTHROPIC_MODELS.find(({ id }) => id === modelId)!;
  const models = windowTokens === undefined ? [] : [{ ...facts, windowTokens }];
  const server = await simulator.serve({ faces: [simulator.createAnthropic({ script, models })] });
  onTestFinished(() => server.close());
  const store = rest.store ?? memoryStore();
  const start = () => {
    const context = palimpsest({ settingsFrom: { environment: {} }, ...rest, store });
    onTestFinished(() => context.close());
    const inner = createAnthropic({ apiKey: "none", baseURL: `${server.url}/v1` })(modelId);
    return { context, model: wrapLanguageModel({ model: inner, middleware: context }) };
  };
  const first = start();
  return {
    ...first,
    store,
    server,
    async restart() {
      await first.context.close();
      return start();
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

const look = tool({
  description: "Looks at a place.",
  inputSchema: jsonSchema<{ at: number }>({ type: "object", properties: { at: { type: "number" } } }),
  execute: async ({ at }) => {
    if (at === 13) throw new Error("nope");
    return `There is a tree at ${at}.`;
  },
  toModelOutput: ({ output }) => ({ type: "text", value: `Seen: ${output}` }),
});
/** Calls a tool, then answers with text. */
const looking =
  (at: number): simulator.Script =>
  ({ toolResults }) =>
    toolResults.length > 0
      ? answer(`Done: ${toolResults.length} results.`)
      : think("Let me see.", callTools(callTool("look", { at }), callTool("look", { at: at + 1 })));

const user = (text: string): ModelMessage => ({ role: "user", content: text });
const inSession = (session: string) => ({ providerOptions: { palimpsest: { session } } });

describe("the middleware", () => {
  test("adopts the messages of generateText, records answers and their price, and names the session", async () => {
    const { model, context, server } = await world(looking(1));
    const result = await generateText({ model, tools: { look }, stopWhen: stepCountIs(5), prompt: "What is there?" });
    expect(result.text).toBe("Done: 2 results.");
    const [session, ...others] = context.sessions();
    expect(others).toEqual([]);
    expect(result.finalStep.providerMetadata?.["palimpsest"]).toMatchObject({ session: session!.id });
    expect(session!.ledger.totals()).toMatchObject({ responses: 2 });
    expect((await session!.ledger.cost()).priceUsd).toBeGreaterThan(0);
    expect(refused(server)).toEqual([]);
  });

  test("streams, and continues the session that the messages identify, in this process and in another one", async () => {
    const { model, store, server, restart } = await world(({ userText }) => answer(`You said ${userText}`));
    const first = streamText({ model, system: "Be brief.", messages: [user("one")] });
    await first.consumeStream();
    const list = [user("one"), ...(await first.responseMessages), user("two")];
    const again = await restart();
    const second = streamText({ model: again.model, system: "Be brief.", messages: list });
    expect(await second.text).toBe("You said two");
    expect((await store.list()).sessions).toHaveLength(1);
    expect(messagesOf(server).slice(0, 1)).toEqual(messagesOf(server, 0));
  });

  test("sends the caller's output limit if it is below the session's limit", async () => {
    const { model, server } = await world(() => answer("Yes."));
    await generateText({ model, maxOutputTokens: 100, prompt: "Is it there?" });
    expect(JSON.parse(server.recorder.exchanges.at(-1)!.body)).toMatchObject({ max_tokens: 100 });
  });

  test("creates two sessions for two conversations that begin with the same words", async () => {
    const { model, store } = await world(({ userText }) => answer(`You said ${userText}`));
    for (const next of ["left", "right"]) {
      const { responseMessages } = await generateText({ model, messages: [user("hi")] });
      await generateText({ model, messages: [user("hi"), ...responseMessages, user(next)] });
    }
    const { sessions } = await store.list();
    expect(sessions.length).toBeGreaterThanOrEqual(2);
  });

  test("does not rewind the conversation for an unrelated call under the same name", async () => {
    const { model, context, server } = await world(({ userText }) => answer(`You said ${userText}`));
    const { responseMessages } = await generateText({ model, messages: [user("one")], ...inSession("chat") });
    await generateText({ model, prompt: "A title for: one", ...inSession("chat") });
    await generateText({ model, messages: [user("one"), ...responseMessages, user("two")], ...inSession("chat") });
    expect(context.sessions().map(({ id }) => id)).toHaveLength(2);
    expect(messagesOf(server)[0]).toBe(messagesOf(server, 0)[0]);
    const chat = context.sessions().find(({ id }) => id === "chat")!;
    expect((await chat.messages()).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test("rewinds to an edited message, and keeps everything before it in later requests", async () => {
    const { model, server, context } = await world(({ userText }) => answer(`You said ${userText}`));
    const list: ModelMessage[] = [];
    for (const words of ["one", "two", "three"]) {
      list.push(user(words));
      list.push(...(await generateText({ model, messages: list, ...inSession("chat") })).responseMessages);
    }
    await generateText({ model, messages: [...list.slice(0, 2), user("zwei")], ...inSession("chat") });
    expect(messagesOf(server)).toEqual([...messagesOf(server, 1).slice(0, 2), expect.stringContaining("zwei")]);
    expect(context.sessions()).toHaveLength(1);
    expect(refused(server)).toEqual([]);
  });
});

describe("sent content does not change", () => {
  /** Runs one turn with two calls, of which the second fails. Returns the parts as a user interface persists them. */
  async function turn() {
    const made = await world(looking(12));
    const first = streamText({
      model: made.model,
      tools: { look },
      stopWhen: stepCountIs(3),
      messages: [user("What is there?")],
      ...inSession("chat"),
    });
    const ui: UIMessage[] = [{ id: "1", role: "user", parts: [{ type: "text", text: "What is there?" }] }];
    let last: UIMessage | undefined;
    await first.consumeStream();
    const stream = first.toUIMessageStream({
      originalMessages: ui,
      onFinish: ({ responseMessage }) => {
        last = responseMessage;
      },
    });
    for await (const _ of stream);
    const sent = messagesOf(made.server);
    const goOn = async (messages: ModelMessage[]) => {
      await generateText({ model: made.model, tools: { look }, messages, ...inSession("chat") });
      expect(refused(made.server)).toEqual([]);
      expect(messagesOf(made.server).slice(0, sent.length)).toEqual(sent);
      return made.context.sessions()[0]!;
    };
    const next: UIMessage = { id: "3", role: "user", parts: [{ type: "text", text: "And now?" }] };
    return { ...made, ui: [...ui, last!, next], responseMessages: await first.responseMessages, sent, goOn };
  }

  test("1: if a user interface rewords a failed tool", async () => {
    const { ui, goOn, sent } = await turn();
    expect(sent.join()).toContain("nope");
    const messages = await convertToModelMessages(ui, { tools: { look } });
    expect(JSON.stringify(messages)).not.toContain("nope");
    await goOn(messages);
  });

  test("2: if results come back without the tools that created them", async () => {
    const { ui, goOn, sent } = await turn();
    expect(sent.join()).toContain("Seen: There is a tree");
    const messages = await convertToModelMessages(ui);
    expect(JSON.stringify(messages)).not.toContain("Seen: ");
    await goOn(messages);
  });

  test("3: if the application moves its cache marks", async () => {
    const { responseMessages, goOn } = await turn();
    const marked = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;
    const messages = [user("What is there?"), ...responseMessages].map((message) => ({
      ...message,
      providerOptions: marked,
    })) as ModelMessage[];
    await goOn([...messages, user("And now?")]);
  });

  test("4: if a retry brings the same messages again", async () => {
    let failures = 2;
    const { model, server, context } = await world(({ userText }) =>
      failures-- > 0
        ? { ...answer("no"), fault: simulator.rateLimited({ retryAfterSeconds: 0.01 }) }
        : answer(`You said ${userText}`),
    );
    const list: ModelMessage[] = [user("one")];
    const { responseMessages } = await generateText({ model, messages: list, maxRetries: 3 });
    expect(server.recorder.exchanges).toHaveLength(3);
    expect(context.sessions()).toHaveLength(1);
    failures = 1;
    await generateText({ model, messages: [...list, ...responseMessages, user("two")], maxRetries: 3 });
    expect(context.sessions()).toHaveLength(1);
    expect(messagesOf(server)).toHaveLength(3);
    expect(messagesOf(server, -2)).toEqual(messagesOf(server));
  });
});

describe("another context manager", () => {
  const script = looking(1);
  const told = (warnings: readonly unknown[] | undefined): string => JSON.stringify(warnings ?? []);

  test("warns about pruneMessages, and keeps the sent content", async () => {
    const { model, server } = await world(script);
    const list: ModelMessage[] = [user("one")];
    const go = () =>
      generateText({ model, tools: { look }, stopWhen: stepCountIs(3), messages: list, ...inSession("chat") });
    list.push(...(await go()).responseMessages, user("two"));
    const sent = messagesOf(server);
    const pruned = pruneMessages({ messages: list, reasoning: "all", toolCalls: "before-last-message" });
    list.splice(0, list.length, ...pruned);
    const { warnings } = await go();
    expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    expect(told(warnings)).toContain("prunes messages");
    expect(refused(server)).toEqual([]);
  });

  test("warns if a client drops or summarizes the beginning", async () => {
    const { model, server } = await world(({ userText }) => answer(`You said ${userText}`));
    const list: ModelMessage[] = [];
    const go = async (messages: ModelMessage[]) => {
      const result = await generateText({ model, messages, ...inSession("chat") });
      return result;
    };
    for (const words of ["one", "two", "three", "four"]) {
      list.push(user(words));
      list.push(...(await go(list)).responseMessages);
    }
    const sent = messagesOf(server);
    const trimmed = await go([user("Summary: one and two."), ...list.slice(4), user("five")]);
    expect(told(trimmed.warnings)).toContain("lacks the beginning");
    expect(messagesOf(server).slice(0, sent.length)).toEqual(sent);
    const replaced = await go([...list.slice(0, 2), user("Summary: two."), ...list.slice(5), user("six")]);
    expect(told(replaced.warnings)).toContain("were replaced");
    expect(refused(server)).toEqual([]);
  });
});

describe("a full window", () => {
  const words = "All work and no play makes a long conversation. ".repeat(60);
  const script: simulator.Script = ({ purpose, userText }) =>
    purpose === "summary"
      ? simulator.summarize("They talked about work and play.")
      : answer(`You said: ${[...userText.matchAll(/(\d+): All/g)].at(-1)?.[1]}`);

  test("reports compactions as parts of the answer, which a user interface can read", async () => {
    const { model, server } = await world(script, {
      windowTokens: 20_000,
      models: { [MODEL]: { windowTokens: 20_000 } },
    });
    const list: ModelMessage[] = [];
    const shown: unknown[] = [];
    for (let at = 0; at < 40; at++) {
      list.push(user(`${at}: ${words}`));
      const result = streamText({ model, messages: list, ...inSession("chat") });
      const parts: UIMessage["parts"] = [];
      for await (const chunk of result.toUIMessageStream({
        onFinish: ({ responseMessage }) => {
          parts.push(...responseMessage.parts);
        },
      }))
        void chunk;
      shown.push(...parts.map(readCompaction).filter(Boolean));
      list.push(...(await result.responseMessages));
    }
    expect(shown.length).toBeGreaterThan(0);
    expect(shown[0]).toMatchObject({
      session: "chat",
      tokensBefore: expect.any(Number),
      summary: { way: expect.stringMatching(/^(prepared|fork)$/), form: "coding", met: true },
    });
    expect(refused(server)).toEqual([]);
  });

  test.each(["streamed", "whole"] as const)(
    "compacts the session and repeats the call after an overflow: %s",
    async (way) => {
      // The session assumes a larger window than the service has.
      const { model, server } = await world(script, {
        windowTokens: 12_000,
        models: { [MODEL]: { windowTokens: 40_000 } },
      });
      const list: ModelMessage[] = [];
      for (let at = 0; at < 30; at++) {
        list.push(user(`${at}: ${words}`));
        const wanted = { model, messages: list, maxRetries: 0, ...inSession("chat") };
        const result = way === "whole" ? await generateText(wanted) : streamText(wanted);
        expect(await result.text).toContain(`You said: ${at}`);
        list.push(...(await result.responseMessages));
      }
      expect(refused(server).length).toBeGreaterThan(0);
    },
  );
});

describe("recall", () => {
  test("is mentioned only if the tool is in the list of tools", async () => {
    const big = tool({
      description: "Says much.",
      inputSchema: jsonSchema<Record<string, never>>({ type: "object" }),
      execute: async () => "All work and no play. ".repeat(4_000),
    });
    const { model, context, server } = await world(({ toolResults }) =>
      toolResults.length > 0 ? answer("Done.") : callTools(callTool("big", {})),
    );
    const go = (tools: Parameters<typeof generateText>[0]["tools"] & object, session: string) =>
      generateText({ model, tools, stopWhen: stepCountIs(2), prompt: "Go.", ...inSession(session) });
    await go({ big }, "without");
    expect(messagesOf(server).join()).toContain("Too large to be shown");
    expect(messagesOf(server).join()).not.toMatch(/recall/i);
    await go({ big, recall: context.recall }, "with");
    expect(messagesOf(server).join()).toMatch(/recall, entry \d+/);
  });

  test("reads compacted content in the session of its call", async () => {
    const { model, context, server } = await world(({ toolResults }) =>
      toolResults.length > 0 ? answer(toolResults[0]!.text) : callTools(callTool("recall", { search: "port" })),
    );
    const result = await generateText({
      model,
      tools: { recall: context.recall },
      stopWhen: stepCountIs(3),
      prompt: "Which port was it?",
    });
    expect(result.text).toMatch(/^entry \d+: .*port/);
    expect(JSON.stringify(JSON.parse(server.recorder.exchanges[0]!.body).tools)).toContain(
      "Reads back earlier content",
    );
    expect(await context.recall.execute({ entry: 1 }, { toolCallId: "nobody's" })).toContain("no open session");
  });
});

test("keeps the read part of an interrupted answer, and counts its price", async () => {
  const { model, context, server } = await world(() => ({
    ...answer("This will not be read to its end. ".repeat(20)),
    fault: simulator.stallStream(6, 60_000),
  }));
  const stop = new AbortController();
  const result = streamText({ model, prompt: "one", abortSignal: stop.signal, ...inSession("chat") });
  for await (const chunk of result.textStream) if (chunk !== "") stop.abort();
  await expect.poll(() => context.sessions()[0]?.ledger.totals().outputTokens ?? 0).toBeGreaterThan(0);
  const { messages } = await context.sessions()[0]!.messages();
  expect(JSON.stringify(messages)).toContain("This will not");
  expect(refused(server)).toEqual([]);
});

test("reopens a session that another process took over, and does not lose the answer", async () => {
  const problems: string[] = [];
  const script: simulator.Script = ({ userText }) => answer(`You said ${userText}`);
  const one = await world(script, { onProblem: ({ message }) => problems.push(message) });
  const other = await world(script, { store: one.store });
  const list: ModelMessage[] = [];
  for (const [at, { model }] of [one, other, one, other].entries()) {
    list.push(user(`${at}`));
    const result = await generateText({ model, messages: list, ...inSession("chat") });
    expect(result.text).toBe(`You said ${at}`);
    list.push(...result.responseMessages);
  }
  expect(problems).toEqual([]);
  expect(messagesOf(other.server)).toHaveLength(7);
});

test("passes files of any type to the provider unchanged, with their names and options", async () => {
  const prompts: unknown[] = [];
  const { context } = await world(() => answer("Heard."));
  const file = (mediaType: string, more: object = {}) => ({ type: "file" as const, mediaType, ...more });
  const parts = [
    file("audio/wav", { data: { type: "data", data: "UklGRg==" }, filename: "voice.wav" }),
    file("video/mp4", { data: { type: "url", url: new URL("https://example.org/film.mp4") } }),
    file("image/heic", {
      data: { type: "data", data: "AAAA" },
      providerOptions: { openai: { imageDetail: "low" }, anthropic: { cacheControl: { type: "ephemeral" } } },
    }),
  ];
  const model = {
    specificationVersion: "v4" as const,
    provider: "test",
    modelId: MODEL,
    supportedUrls: {},
    doGenerate: async ({ prompt }: { prompt: unknown }) => {
      prompts.push(prompt);
      return {
        content: [{ type: "text" as const, text: "Heard." }],
        finishReason: { unified: "stop" as const, raw: "stop" },
        usage: {
          inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 2, text: 2, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error("not streamed")),
  };
  const call = async (prompt: unknown[]) =>
    context.wrapGenerate!({
      doGenerate: () => Promise.reject(new Error("passed by")),
      doStream: () => Promise.reject(new Error("passed by")),
      params: { prompt, ...inSession("chat") } as never,
      model: model as never,
    });
  const first = { role: "user", content: parts };
  await call([first]);
  await call([
    first,
    { role: "assistant", content: [{ type: "text", text: "Heard." }] },
    { role: "user", content: [{ type: "text", text: "And?" }] },
  ]);
  const [one, two] = prompts as { content: Record<string, unknown>[] }[][];
  const { providerOptions: _, ...shownImage } = parts[2] as Record<string, unknown>;
  expect(one![0]!.content).toMatchObject([parts[0], parts[1], shownImage]);
  expect(one![0]!.content[2]!["providerOptions"]).toMatchObject({ openai: { imageDetail: "low" } });
  expect(two).toHaveLength(3);
  expect(two![0]!.content.slice(0, 2)).toEqual(one![0]!.content.slice(0, 2));
});

test("asks for text in the session's own calls, even if the application forces another answer", async () => {
  const words = "All work and no play makes a long conversation. ".repeat(60);
  const { model, server } = await world(
    ({ purpose }) =>
      purpose === "summary"
        ? simulator.summarize("They talked about work and play.")
        : callTools(callTool("look", { at: 1 })),
    { windowTokens: 20_000, modelId: FORCED, models: { [FORCED]: { windowTokens: 20_000 } } },
  );
  const list: ModelMessage[] = [];
  for (let at = 0; at < 30; at++) {
    list.push(user(`${at}: ${words}`));
    const result = await generateText({
      model,
      messages: list,
      tools: { look },
      toolChoice: "required",
      maxRetries: 0,
      ...inSession("chat"),
    });
    list.push(...result.responseMessages);
  }
  const bodies = server.recorder.exchanges.map(({ body }) => JSON.parse(body));
  const [own, asked] = [true, false].map((isOwn) =>
    bodies.filter((body) => JSON.stringify(body.messages).includes("<summary> block") === isOwn),
  );
  expect(own!.length).toBeGreaterThan(0);
  expect(own!.filter(({ tool_choice }) => tool_choice !== undefined && tool_choice.type !== "auto")).toEqual([]);
  expect(new Set(asked!.map(({ tool_choice }) => tool_choice.type))).toEqual(new Set(["any"]));
});

test("warns about an edit under the same ids, because the model still gets the sent content", async () => {
  const { model, server } = await world(looking(1));
  const go = (messages: ModelMessage[]) =>
    generateText({ model, tools: { look }, stopWhen: stepCountIs(3), messages, ...inSession("chat") });
  const { responseMessages } = await go([user("one")]);
  const edited = JSON.parse(JSON.stringify(responseMessages).replace("tree at 1", "secret"));
  const { warnings } = await go([user("one"), ...edited, user("two")]);
  expect(JSON.stringify(warnings)).toMatch(/same ids \(entry \d+ of the session\).*session.erase\(entry\)/);
  expect(messagesOf(server).join()).toContain("tree at 1");
});

test("says what to pass if an option is invalid", () => {
  expect(() => palimpsest({} as never)).toThrow(/palimpsest.*store.*memoryStore/);
});
