import Anthropic from "@anthropic-ai/sdk";
import {
  callTool,
  callTools,
  createAnthropic,
  createOpenAiResponses,
  manualClock,
  type Reply,
  serve,
  think,
} from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import {
  NoSuchEntryError,
  NothingToSendError,
  PalimpsestError,
  SessionBusyError,
  SessionLostError,
  UnknownRequestError,
  WindowFullError,
} from "../errors.ts";
import { attachment, notice, toolResult, user } from "../log/messages.ts";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import { openaiResponses } from "../providers/openai.ts";
import type { SessionOptions } from "../state/options.ts";
import { exportLog, importLog } from "../stores/export-log.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";
import { loseAcknowledgements } from "../stores/testing/stores.ts";
import { openSession } from "./open.ts";
import type { Session } from "./session.ts";

const model = "claude-opus-5-5";
type Options = Partial<SessionOptions<AnthropicRequest, AnthropicResponse, never>>;

/** A session whose requests are judged in this process. The adapter's client is never called. */
const open = (options: Options = {}): Promise<Session> =>
  openSession({
    store: memoryStore({ leaseMs: 0 }),
    provider: anthropic({} as never),
    model,
    system: "Be brief.",
    ...(options as object),
  });

function service(...replies: readonly Reply[]) {
  const face = createAnthropic({ script: ({ turn }) => replies[turn % replies.length]! });
  return (request: AnthropicRequest) => {
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    return { response: answered.response as unknown as AnthropicResponse, cache: answered.acceptance.cache };
  };
}
const twoCalls = think("Let me see.", callTools(callTool("look", { at: 1 }), callTool("look", { at: 2 })));
const done: Reply = { words: [{ kind: "text", text: "Done." }] };

describe("a session", () => {
  test("answers a question over tool calls in a custom loop", async () => {
    const session = await open({ tools: [{ name: "look", inputSchema: { type: "object" } }] });
    const ask = service(twoCalls, done);
    await session.append("What is there?");
    let { calls, text } = await session.record(ask(await session.prepare()).response);
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ["look", { at: 1 }],
      ["look", { at: 2 }],
    ]);
    for (const call of calls) await session.append(toolResult(call.id, "A tree."));
    ({ calls, text } = await session.record(ask(await session.prepare()).response));
    expect([calls, text]).toEqual([[], "Done."]);
    expect(session.ledger.totals()).toMatchObject({ responses: 2 });
    expect(session.view.size()).toMatchObject({ windowTokens: 1_000_000, level: "ok" });
  });

  test("reads in every request the cached part of the previous one, however much is added", async () => {
    const parallel = callTools(...Array.from({ length: 30 }, (_, at) => callTool("look", { at })));
    const session = await open({ tools: [{ name: "look", inputSchema: { type: "object" } }] });
    const ask = service(parallel);
    await session.append("word ".repeat(1_000));
    let before = 0;
    for (let round = 0; round < 8; round++) {
      const { response, cache } = ask(await session.prepare());
      expect(cache.tokensRead).toBe(before);
      before = cache.tokensRead + cache.tokensWritten;
      const { calls } = await session.record(response);
      await session.append(calls.map(({ id }) => toolResult(id, "A tree.")));
    }
  });

  test("loses only the cost of a request that failed before it was cached", async () => {
    const ask = service(done);
    const session = await open();
    await session.append("word ".repeat(1_000));
    const { response, cache } = ask(await session.prepare());
    await session.record(response);
    await session.append("Second.");
    await session.prepare();
    await session.append("Third.");
    expect(ask(await session.prepare()).cache.tokensRead).toBe(cache.tokensRead + cache.tokensWritten);
  });

  test("returns the same request twice, and writes it once", async () => {
    const session = await open();
    await session.append("Hello");
    const first = await session.prepare();
    const entries = session.history.newestEntry;
    expect(await session.prepare()).toEqual(first);
    expect(session.history.newestEntry).toBe(entries);
  });

  test("does not change a request when the session continues", async () => {
    const session = await open();
    await session.append("Hello");
    const request = await session.prepare();
    const before = JSON.stringify(request);
    await session.append("More");
    await session.prepare();
    expect(JSON.stringify(request)).toBe(before);
  });

  test("runs operations in the order of the calls, without waiting for them", async () => {
    const session = await open();
    const numbers = await Promise.all(["a", "b", "c"].map((text) => session.append(text)));
    expect(numbers.flat()).toEqual([2, 3, 4]);
  });

  test("writes an entry for each tool result, and separates notices and attachments", async () => {
    const session = await open();
    const results = ["1", "2"].flatMap((id) => toolResult(id, "x").blocks);
    expect(await session.append({ ...user("a"), blocks: [...results, { kind: "text", text: "b" }] })).toHaveLength(3);
    expect(await session.append([notice("working"), attachment("rule", "Be kind.")])).toHaveLength(2);
    const sent = JSON.stringify((await session.prepare()).messages);
    expect(sent).toContain("Be kind.");
    expect(sent).not.toContain("working");
  });

  test("sets max_tokens to the option or to the rest of the window", async () => {
    const provider = anthropic({} as never, { models: { [model]: { windowTokens: 20_000 } } });
    const session = await open({ provider: provider as never, maxOutputTokens: 15_000 });
    await session.append("Hello");
    expect((await session.prepare()).max_tokens).toBe(15_000);
    await session.append("word ".repeat(8_000));
    const { tokens } = session.view.size();
    expect((await session.prepare()).max_tokens).toBe(20_000 - 400 - tokens);
  });

  test("throws an error with the reason at the blocking level", async () => {
    const provider = anthropic({} as never, { models: { [model]: { windowTokens: 8_000 } } });
    const settings = { compaction: "off" } as const;
    const session = await open({ provider: provider as never, settings });
    await session.append("word ".repeat(20_000));
    const error = await session.prepare().catch((thrown: unknown) => thrown);
    expect(WindowFullError.isInstance(error) && error.sizeTokens > error.hardLimitTokens).toBe(true);
    expect(session.view.size().level).toBe("blocked");
  });

  test("counts with the model's tokenizer instead of estimating, even after a resume", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const countText = (text: string): number => text.length * 100;
    const session = await open({ store, id: "s", countText });
    await session.append("Hello");
    const { tokens } = session.view.size();
    expect(tokens).toBeGreaterThan(1_400);
    expect((await open({ store, id: "s", countText })).view.size().tokens).toBe(tokens);
  });

  test("asks the models endpoint if modelFacts requires it", async () => {
    const server = await serve({ faces: [createAnthropic()] });
    const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
    // The table has only the name of this model.
    const unknown = { provider: provider as never, model: "claude-fable-5-2" };
    expect((await open({ ...unknown, modelFacts: "table" })).view.size().windowTokens).toBe(200_000);
    expect((await open({ ...unknown, modelFacts: "asked" })).view.size().windowTokens).toBe(1_000_000);
    await server.close();
  });

  test("detects a server that silently accepted too much input", async () => {
    const provider = anthropic({} as never, { models: { [model]: { windowTokens: 4_000 } } });
    const session = await open({ provider: provider as never });
    const { response } = service(done)({ model, max_tokens: 10, messages: [{ role: "user", content: "Hello" }] });
    const usage = { ...response.usage, input_tokens: 9_000, iterations: null };
    const { overflow } = await session.record({ ...response, usage });
    expect(overflow).toEqual({ kind: "overflow", by: "tokens", inputTokens: 9_000, limitTokens: 4_000 });
  });

  test("takes the percentage at which it compacts from the environment", async () => {
    const environment = { PALIMPSEST_AUTOCOMPACT_PCT: "10" };
    const session = await open({ settingsFrom: { environment } });
    expect(session.view.size().compaction).toMatchObject({ kind: "window", atTokens: 98_000 });
  });

  test("throws an error with nothing to send", async () => {
    const session = await open();
    await expect(session.prepare()).rejects.toThrow(NothingToSendError);
    await session.append(" ");
    await expect(session.prepare()).rejects.toThrow("Append a user message");
  });
});

describe("the cost of a session", () => {
  const lasting = (ms = 0) => {
    const clock = manualClock(1_000);
    const face = createAnthropic({ clock, script: () => done });
    const provider = anthropic({} as never, { cacheDiagnostics: "asked" });
    const store = memoryStore({ clock, leaseMs: 0 });
    const start = () => open({ provider: provider as never, store, id: "s", clock });
    const ask = async (session: Session) => {
      const request = await session.prepare();
      const answered = face.answer(request);
      if (answered.kind === "refused") throw new Error(answered.message);
      await session.record(answered.response as unknown as AnthropicResponse, request);
      clock.advance(ms);
      return request;
    };
    return { clock, face, start, ask };
  };

  test("lists the price of every response, the price with a perfect cache, and the cause of the difference", async () => {
    const { clock, face, start, ask } = lasting();
    const session = await start();
    await session.append("word ".repeat(8_000));
    await ask(session);
    await session.append("Go on.");
    await ask(session);
    clock.advance(300_000);
    await session.append("After lunch.");
    await ask(session);
    face.evict();
    await session.append("Again.");
    await ask(session);
    const lines = await Array.fromAsync(session.ledger.lines());
    expect(lines.map(({ causes }) => causes)).toEqual([[], [], ["pause"], ["server"]]);
    const { priceUsd, perfectPriceUsd, gapUsd, byCause, breaks, responses } = await session.ledger.cost();
    expect(responses).toBe(4);
    expect(priceUsd).toBeCloseTo(
      lines.reduce((sum, line) => sum + line.priceUsd!, 0),
      12,
    );
    expect(gapUsd).toBeCloseTo(priceUsd - perfectPriceUsd, 12);
    expect(byCause.pause!.gapUsd + byCause.server!.gapUsd).toBeCloseTo(gapUsd, 12);
    expect(breaks.map(({ sort }) => sort)).toEqual(["alarm", "alarm"]);
  });

  test("knows the cost of the next request with a warm and a cold cache before it is sent", async () => {
    const { clock, start, ask } = lasting();
    const session = await start();
    await session.append("word ".repeat(8_000));
    expect((await session.ledger.cost()).nextRequest.cache).toBe("new");
    await ask(session);
    await session.append("Go on.");
    const { nextRequest } = await session.ledger.cost();
    expect(nextRequest).toMatchObject({ cache: "warm", coldAtMs: 301_000 });
    expect(nextRequest.coldUsd!).toBeGreaterThan(10 * nextRequest.warmUsd!);
    clock.advance(300_000);
    expect((await session.ledger.cost()).nextRequest.cache).toBe("cold");
    await session.configure({ system: "Be kind." });
    expect((await session.ledger.cost()).nextRequest.cachedTokens).toBe(0);
  });

  test("asks the provider to compare with the newest response, even after a resume and a rewind", async () => {
    const { start, ask } = lasting();
    const session = await start();
    await session.append("One.");
    expect((await ask(session)).diagnostics).toEqual({ previous_message_id: null });
    await session.append("Two.");
    const second = await ask(session);
    const point = session.history.newestEntry;
    expect(second.diagnostics?.previous_message_id).toMatch(/^msg_/);
    await session.append("Three.");
    const third = await session.prepare();
    expect((await (await start()).prepare()).diagnostics).toEqual(third.diagnostics);
    const again = await start();
    await again.history.rewind(point);
    await again.append("Other three.");
    const other = await ask(again);
    expect(other.diagnostics?.previous_message_id).toBe(third.diagnostics?.previous_message_id);
    const [line] = (await Array.fromAsync(again.ledger.lines())).slice(-1);
    expect(line).toMatchObject({ source: "main", model });
  });

  test("counts a request that is sent again after a rewind twice, with its price", async () => {
    const { start, ask } = lasting();
    const session = await start();
    await session.append("word ".repeat(8_000));
    await session.prepare();
    const point = session.history.newestEntry;
    const first = await ask(session);
    await session.history.rewind(point, "once more");
    expect(JSON.stringify(await ask(session))).toBe(JSON.stringify(first));
    const lines = await Array.fromAsync(session.ledger.lines());
    expect(lines.map(({ request, cacheReadTokens }) => [request, cacheReadTokens > 0])).toEqual([
      [point, false],
      [point, true],
    ]);
    expect(lines.every(({ priceUsd }) => priceUsd! > 0)).toBe(true);
    expect(session.ledger.totals()).toMatchObject({ responses: 2, unpricedResponses: 0 });
  });
});

describe("rewind and restore", () => {
  test("returns the request of the target after a rewind, byte for byte", async () => {
    const session = await open();
    const ask = service(done);
    await session.append("First.");
    const first = await session.prepare();
    const point = session.history.newestEntry;
    await session.record(ask(first).response);
    await session.append("Second.");
    await session.record(ask(await session.prepare()).response);
    await session.configure({ system: "Be kind." });
    await session.history.rewind(point);
    expect(JSON.stringify(await session.prepare())).toBe(JSON.stringify(first));
    expect(session.ledger.totals().responses).toBe(2);
  });

  test("shows folded content again after a restore", async () => {
    const session = await open();
    const [one, two] = await session.append(["First.", "Second."]);
    const before = (await session.prepare()).messages;
    const folded = await session.history.fold(
      { from: one!, to: two! },
      [{ role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" }],
      "test",
    );
    expect(JSON.stringify((await session.prepare()).messages)).toContain("Earlier.");
    await session.history.restore(folded);
    expect((await session.prepare()).messages[0]!.content).toEqual(before[0]!.content);
  });

  test("rejects numbers that are not entries or decisions", async () => {
    const session = await open();
    await expect(session.history.rewind(99)).rejects.toThrow("the newest entry is 1");
    await expect(session.history.restore(1)).rejects.toThrow("is not a decision in effect");
    await expect(session.history.replace({ from: 5, to: 9 }, [], "test")).rejects.toThrow(NoSuchEntryError);
  });
});

describe("thinking that is bound to its conversation", () => {
  const thoughtful = think("Let me see.", done);

  test.each<[string, (session: Session) => Promise<unknown>]>([
    ["the system prompt", (session) => session.configure({ system: "Be kind." })],
    [
      "the provider's own tools",
      (session) => session.configure({ parameters: { tools: [{ type: "web_search_20250305", name: "web_search" }] } }),
    ],
    [
      "an earlier message",
      (session) =>
        session.history.replace(
          { from: 2, to: 2 },
          [{ role: "user", origin: "host", blocks: [{ kind: "text", text: "Hi." }] }],
          "test",
        ),
    ],
    [
      "everything",
      (session) =>
        session.history.fold(
          { from: 2, to: session.history.newestEntry },
          [{ role: "user", origin: "summary", blocks: [{ kind: "text", text: "Hi." }] }],
          "test",
        ),
    ],
    ["the branch", (session) => session.history.rewind(1).then(() => session.append("Hi."))],
  ])("is left out if %s changes before or after its response is recorded", async (_, change) => {
    for (const when of ["before", "after"]) {
      const ask = service(thoughtful);
      const session = await open();
      await session.append("Hello");
      const request = await session.prepare();
      const { response } = ask(request);
      if (when === "before") await change(session);
      await session.record(response, when === "before" ? request : undefined);
      if (when === "after") await change(session);
      await session.append("Next.");
      ask(await session.prepare());
    }
  });

  test("is sent once if a response is recorded several times", async () => {
    const ask = service(thoughtful);
    const session = await open();
    await session.append("Hello");
    const request = await session.prepare();
    const { response } = ask(request);
    await session.record(response, request);
    const entries = session.history.newestEntry;
    await session.record(response, request);
    expect(session.history.newestEntry).toBe(entries);
    await session.record(ask(request).response, request);
    await session.append("Next.");
    ask(await session.prepare());
  });

  test("is left out of a conversation that was imported from another program", async () => {
    const ask = service(thoughtful);
    const other = await open({ system: "Be kind." });
    await other.append("Hello");
    const request = await other.prepare();
    const { response } = ask(request);
    const messages = [...request.messages, { role: "assistant" as const, content: response.content }];
    const session = await open();
    await session.append([...anthropic({} as never).readMessages(messages as never), "Next."]);
    ask(await session.prepare());
  });

  test("rejects an answer to a request that was not issued", async () => {
    const session = await open();
    await session.append("Hello");
    const request = await session.prepare();
    const { response } = service(done)(request);
    await expect(session.record(response, { ...request })).rejects.toThrow(UnknownRequestError);
  });
});

describe("another provider", () => {
  const gpt = { provider: openaiResponses({} as never) as never, model: "gpt-6-sol" };
  const judge = createOpenAiResponses();

  test("gets no parameters, model or paused turn of the previous provider", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const first = await open({ store, id: "s", parameters: { thinking: { type: "adaptive" } } });
    await first.append("Hello");
    const point = first.history.newestEntry;
    await first.record(service({ ...done, stop: "pause" })(await first.prepare()).response);
    const second = await open({ store, id: "s", ...gpt });
    expect(judge.judge(await second.prepare())).toMatchObject({ kind: "accepted", model: "gpt-6-sol" });
    await second.history.rewind(point);
    expect(judge.judge(await second.prepare())).toMatchObject({ kind: "accepted", model: "gpt-6-sol" });
  });
});

describe("invalid input is rejected before anything is written", () => {
  test.each<[string, (session: Session) => Promise<unknown>]>([
    ["a message in a provider's form", (session) => session.append({ role: "user", content: "hi" } as never)],
    ["blocks in a provider's form", (session) => session.append(user([{ type: "text", text: "hi" } as never]))],
    ["a range with negative numbers", (session) => session.history.replace({ from: -3, to: 1 }, [], "test")],
    [
      "an invalid replacement",
      (session) =>
        session
          .append("hi")
          .then(([hi]) =>
            session.history.replace({ from: hi!, to: hi! }, [{ role: "user", content: "" } as never], "test"),
          ),
    ],
    [
      "a tool with a dot in its name",
      (session) => session.configure({ tools: [{ name: "my.tool", inputSchema: {} }] }),
    ],
    [
      "two tools with one name",
      (session) => session.configure({ tools: ["a", "a"].map((name) => ({ name, inputSchema: {} })) }),
    ],
    [
      "a tool in a provider's form",
      (session) => session.configure({ tools: [{ name: "a", input_schema: {} } as never] }),
    ],
  ])("%s", async (_, act) => {
    const session = await open();
    await expect(act(session)).rejects.toThrow(PalimpsestError);
    await session.append("Go on.");
    expect(await Array.fromAsync(session.history.export())).toHaveLength(session.history.newestEntry);
    service(done)(await session.prepare());
  });

  test("rejects options with which no request is possible", async () => {
    await expect(open({ maxOutputTokens: 10.5 })).rejects.toThrow(
      "maxOutputTokens is 10.5; it must be a whole number above 0.",
    );
  });

  test("replaces half characters in the system prompt and in tools", async () => {
    const session = await open({
      system: "a\ud800",
      tools: [{ name: "look", description: "\udc00", inputSchema: { title: "\ud800" } }],
    });
    await session.append("Hello");
    service(done)(await session.prepare());
  });

  test("treats a tool with its fields in another order as the same tool", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
    const session = await open({ store, id: "s", tools: [tool] });
    const { inputSchema, description, name } = tool;
    expect((await open({ store, id: "s", tools: [{ inputSchema, description, name }] })).history.newestEntry).toBe(
      session.history.newestEntry,
    );
  });
});

describe("a session and its store", () => {
  test("releases a session that cannot be opened", async () => {
    const store = memoryStore();
    const provider = { ...anthropic({} as never), fetchFacts: () => Promise.reject(new Error("unreachable")) };
    await expect(open({ store, id: "s", provider: provider as never, modelFacts: "asked" })).rejects.toThrow(
      "unreachable",
    );
    await open({ store, id: "s" });
  });

  test("rejects operations on a closed session, and closes it once", async () => {
    const session = await open();
    await session.close();
    await session.close();
    await expect(session.append("Hello")).rejects.toThrow("this process has closed it");
  });

  test("undoes a decision once", async () => {
    const session = await open();
    const [one] = await session.append("one");
    const decision = await session.history.replace({ from: one!, to: one! }, [], "hidden");
    await session.history.restore(decision);
    await expect(session.history.restore(decision)).rejects.toThrow("is not a decision in effect");
  });

  test("continues after reopening, with its configuration", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const session = await open({ store, id: "s" });
    await session.append("Hello");
    const request = await session.prepare();
    await session.close();
    const again = await open({ store, id: "s" });
    expect(again.history.newestEntry).toBe(session.history.newestEntry);
    expect(JSON.stringify(await again.prepare())).toBe(JSON.stringify(request));
  });

  test("renders the same bytes after export and import", async () => {
    const session = await open({ id: "s" });
    await session.append("Hello");
    const request = await session.prepare();
    const store: Store = memoryStore({ leaseMs: 0 });
    const opened = await store.openWriter("s", { owner: "import" });
    if (opened.kind !== "opened") throw new Error("a new log is free");
    await importLog(opened.writer, await Array.fromAsync(session.history.export()));
    const imported = await open({ store, id: "s", takeover: "always" });
    expect(JSON.stringify(await imported.prepare())).toBe(JSON.stringify(request));
    expect(await Array.fromAsync(exportLog(opened.writer))).toEqual(await Array.fromAsync(session.history.export()));
  });

  test("rejects a session in use, and any write to a session that was taken over", async () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const session = await open({ store, id: "s", owner: "the first" });
    const error = await open({ store, id: "s" }).catch((thrown: unknown) => thrown);
    expect(SessionBusyError.isInstance(error) && error.owner).toBe("the first");
    await open({ store, id: "s", owner: "the second", takeover: "always" });
    const lost = await session.append("Hello").catch((thrown: unknown) => thrown);
    expect(SessionLostError.isInstance(lost) && lost.message).toContain("the second has taken it over");
  });

  test("continues from the log after a failed append", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const fragile = loseAcknowledgements(store);
    const session = await open({ store: fragile.store, id: "s" });
    fragile.failing = true;
    await expect(session.append("kept?")).rejects.toThrow("the disk went away");
    fragile.failing = false;
    await session.append("next");
    expect(JSON.stringify((await session.prepare()).messages)).toMatch(/kept\?.*next/);
  });
});
