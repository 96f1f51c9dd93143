import Anthropic from "@anthropic-ai/sdk";
import {
  type Ask,
  answer,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  type Reply,
  rateLimited,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";
import fc from "fast-check";
import OpenAI from "openai";
import { afterAll, describe, expect, test } from "vitest";
import type { Policy } from "../policy/policy.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { openaiChat, openaiResponses } from "../providers/openai.ts";
import type { Provider } from "../providers/provider.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";
import { codingSummary, native } from "./summary/forms.ts";

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const BY_PROVIDER: Policy = {
  ...coding(),
  compact: { ...coding().compact, summary: native({ otherwise: codingSummary() }) },
};

type AnyProvider = Provider<unknown, unknown, unknown>;
type AnySession = Session;

const HEAD = "Use tabs, as the user wrote down.";
const SUMMARY = "The loader in src/load.ts was renamed and tested twice.";
const MODELS = { anthropic: "claude-opus-5-5", "openai-responses": "gpt-6-sol", "openai-chat": "gpt-4.1" };
type Name = keyof typeof MODELS;
const NAMES = Object.keys(MODELS) as Name[];

interface World {
  readonly provider: (name: Name) => AnyProvider;
  readonly open: (name: Name, how?: { system?: string; parameters?: object }) => Promise<AnySession>;
  readonly send: (session: AnySession, name: Name) => Promise<Sent>;
  readonly asks: Ask[];
  readonly close: () => Promise<void>;
}

interface Sent {
  readonly request: Fields;
  readonly recorded: Awaited<ReturnType<AnySession["record"]>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** All three services over loopback, and sessions over one store. Whatever a service refuses is thrown. */
async function world(summary: Reply = answer(SUMMARY), windowTokens = 50_000): Promise<World> {
  const asks: Ask[] = [];
  const script: Script = (ask) => {
    asks.push(ask);
    if (ask.purpose === "answer")
      return {
        words: [
          { kind: "thinking", text: "Hm." },
          { kind: "text", text: "Done." },
        ],
      };
    return summary;
  };
  const faces = [createAnthropic({ script }), createOpenAiResponses({ script }), createOpenAiChat({ script })];
  const server = await serve({ faces });
  closers.push(server.close);
  const openai = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
  const models = Object.fromEntries(Object.values(MODELS).map((model) => [model, { windowTokens }]));
  const providers: Record<Name, AnyProvider> = {
    anthropic: anthropic(new Anthropic({ apiKey: "none", baseURL: server.url }), { models }) as AnyProvider,
    "openai-responses": openaiResponses(openai, { models }) as AnyProvider,
    "openai-chat": openaiChat(openai, { models }) as AnyProvider,
  };
  const store: Store = memoryStore({ leaseMs: 0 });
  return {
    asks,
    close: server.close,
    provider: (name) => providers[name],
    open: (name, { system = "Be brief.", parameters = {} } = {}) =>
      openSession({
        store,
        provider: providers[name],
        model: MODELS[name],
        id: "s",
        system,
        parameters: { ...(name === "anthropic" ? { thinking: { type: "adaptive" } } : {}), ...parameters },
        policy: BY_PROVIDER,
        settings: { compaction: "off" },
        settingsFrom: { environment: {} },
        surroundings: { head: async () => HEAD },
      } as never) as Promise<AnySession>,
    async send(session, name) {
      const request = await session.prepare();
      const response = await readStream(providers[name].send(request));
      return { request: request as Fields, recorded: await session.record(response, request) };
    },
  };
}

async function conversation({ send }: World, session: AnySession, name: Name, rounds = 6, words = 600): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await session.append(`Message ${round} about src/load.ts: ${`word${round} `.repeat(words)}`);
    await send(session, name);
  }
}

const messagesOf = (request: Fields): Fields[] => (request["messages"] ?? request["input"]) as Fields[];

async function compactionLines(session: AnySession) {
  return (await Array.fromAsync(session.ledger.lines())).filter(({ source }) => source === "compact");
}

const firstBlock = ({ messages }: Fields): Fields => (messages as { content: Fields[] }[])[0]!.content[0]!;

describe("a compaction by the provider", () => {
  test("puts its signed block first, and what is from the record behind it", async () => {
    const here = await world();
    const session = await here.open("anthropic");
    await conversation(here, session, "anthropic");
    await session.pins.add("Never touch main.");
    const before = session.view.size().tokens;
    const outcome = await session.compact();
    expect(outcome).toMatchObject({ kind: "compacted", summary: { way: "provider" }, modelCalls: 1, attempts: [] });
    expect(outcome).toMatchObject({
      priceUsd: expect.any(Number),
      parts: [
        { name: "provider", items: 1 },
        { name: "head" },
        { name: "task" },
        { name: "userMessages" },
        { name: "evidence" },
      ],
    });
    expect(session.view.size().tokens).toBeLessThan(before * 0.8);
    await session.append("Go on.");
    const { request } = await here.send(session, "anthropic");
    expect(request["betas"]).toContain("compact-2026-09-04");
    expect(firstBlock(request)).toMatchObject({ type: "compaction", content: SUMMARY, signature: expect.any(String) });
    const text = JSON.stringify((request["messages"] as unknown[]).slice(1));
    for (const kept of [HEAD, "Message 0 about", "Message 5 about", "Never touch main.", "Go on."])
      expect(text).toContain(kept);
    expect(text).not.toContain(SUMMARY);
    // What it took is in the ledger, under its own name, and is no context of the conversation's.
    const own = await compactionLines(session);
    expect(own).toHaveLength(1);
    expect(own[0]!.priceUsd).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ priceUsd: own[0]!.priceUsd });
  });

  test("reads the conversation from the cache, and asks with the same system prompt and tools", async () => {
    const here = await world();
    const session = await here.open("anthropic", { system: `Be brief. ${"And exact. ".repeat(400)}` });
    await conversation(here, session, "anthropic");
    await session.compact();
    const [own] = await compactionLines(session);
    expect(own!.cacheReadTokens).toBeGreaterThan(own!.freshTokens);
    expect(own!.cacheWriteTokens).toBe(0);
  });

  test("of sealed content stands first too, with the newest rounds told beside it", async () => {
    const here = await world();
    const session = await here.open("openai-responses");
    await conversation(here, session, "openai-responses");
    const outcome = await session.compact();
    expect(outcome).toMatchObject({ kind: "compacted", summary: { way: "provider" }, modelCalls: 1 });
    await session.append("Go on.");
    const { request } = await here.send(session, "openai-responses");
    const [first, second] = request["input"] as Fields[];
    expect(first).toMatchObject({ type: "compaction", encrypted_content: expect.any(String) });
    expect(JSON.stringify(second)).toContain("Message 0 about");
    expect(JSON.stringify(second)).toContain("assistant>");
  });

  test("is told what the user wants heeded, where it can be told", async () => {
    const here = await world();
    const session = await here.open("anthropic");
    await conversation(here, session, "anthropic");
    expect(await session.compact({ instructions: "Mind the loader." })).toMatchObject({ summary: { way: "provider" } });
    const other = await world();
    const sealed = await other.open("openai-responses");
    await conversation(other, sealed, "openai-responses");
    const outcome = await sealed.compact({ instructions: "Mind the loader." });
    expect(outcome).toMatchObject({
      attempts: expect.arrayContaining([{ way: "provider", why: "this provider cannot compact on request" }]),
    });
  });

  test.each<[string, Reply, string]>([
    ["writes nothing", { words: [] }, "the provider wrote no summary"],
    ["cannot do it now", { words: [], fault: rateLimited({ retryAfterSeconds: 60 }) }, "rate-limited"],
    ["refuses", answer("I'm sorry, but I can't help with that."), "refusal"],
  ])(
    "that %s is passed over",
    async (_, summary, why) => {
      const here = await world(summary);
      const session = await here.open("anthropic");
      await conversation(here, session, "anthropic");
      const outcome = await session.compact();
      expect(outcome).toMatchObject({ kind: "compacted", summary: { way: "none" } });
      expect(JSON.stringify(outcome)).toContain(why);
    },
    30_000,
  );

  test("of a provider that has none, or where the caller has it fold by itself, is passed over", async () => {
    const here = await world();
    const session = await here.open("openai-chat");
    await conversation(here, session, "openai-chat");
    const why = "this provider cannot compact on request";
    expect(await session.compact()).toMatchObject({ attempts: expect.arrayContaining([{ way: "provider", why }]) });
    const other = await world();
    const edits = [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 100_000 } }];
    const parameters = { context_management: { edits }, betas: ["compact-2026-01-12"] };
    const own = await other.open("anthropic", { parameters });
    await conversation(other, own, "anthropic");
    expect(await own.compact()).toMatchObject({ attempts: expect.arrayContaining([{ way: "provider", why }]) });
  });

  test("can be told by its text where another provider takes over, and stands first again for its own", async () => {
    const here = await world();
    const session = await here.open("anthropic");
    await conversation(here, session, "anthropic");
    await session.compact();
    await session.append("Go on.");
    await here.send(session, "anthropic");
    await session.close();
    const other = await here.open("openai-responses");
    await other.append("And now?");
    const { request } = await here.send(other, "openai-responses");
    const [first] = request["input"] as Fields[];
    expect(first).toMatchObject({ type: "message", role: "user" });
    expect(JSON.stringify(first)).toContain(SUMMARY);
    expect(JSON.stringify(request)).not.toContain("compaction");
    await other.close();
    const back = await here.open("anthropic");
    await back.append("Once more.");
    expect(firstBlock((await here.send(back, "anthropic")).request)).toMatchObject({ type: "compaction" });
  });

  test("can be taken back, and gone back before", async () => {
    const here = await world();
    const session = await here.open("anthropic");
    await conversation(here, session, "anthropic");
    await session.append("Once more.");
    const { request } = await here.send(session, "anthropic");
    const at = session.history.newestEntry;
    const outcome = await session.compact();
    if (outcome.kind !== "compacted") throw new Error(outcome.kind);
    await session.append("Go on.");
    await here.send(session, "anthropic");
    await session.history.restore(outcome.boundary);
    const whole = await here.send(session, "anthropic").catch(() => undefined);
    expect(JSON.stringify(whole?.request["messages"])).not.toContain("compaction");
    await session.history.rewind(at);
    await session.append("Go on in another way.");
    const messages = (await here.send(session, "anthropic")).request["messages"] as unknown[];
    const unmarked = (value: unknown) => JSON.stringify(value).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
    const before = (request["messages"] as unknown[]).map(unmarked);
    expect(messages.slice(0, before.length).map(unmarked)).toEqual(before);
  });
});

const THRESHOLDS = {
  anthropic: {
    context_management: { edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }] },
    betas: ["compact-2026-01-12"],
  },
  "openai-responses": { context_management: [{ type: "compaction", compact_threshold: 50_000 }] },
} as const;

describe.each(["anthropic", "openai-responses"] as const)("what %s folds in the middle of an answer", (name) => {
  test("is folded here as well, and the answer stays behind it", async () => {
    const here = await world(answer(SUMMARY), 400_000);
    const session = await here.open(name, { parameters: THRESHOLDS[name] });
    await session.pins.add("Never touch main.");
    await conversation(here, session, name, 3, 9_000);
    await session.append(`The last straw: ${"straw ".repeat(9_000)}`);
    const before = session.view.size().tokens;
    const { recorded } = await here.send(session, name);
    expect(recorded.text).toBe("Done.");
    expect(here.asks.filter(({ purpose }) => purpose === "compaction")).toHaveLength(1);
    const [emitted] = await session.history.explain();
    expect(emitted).toMatchObject({ compaction: { summary: { way: "provider" }, trigger: "auto" }, inEffect: "yes" });
    expect(session.view.size().tokens).toBeLessThan(before * 0.8);
    const at = session.history.newestEntry;
    const size = session.view.size().tokens;
    await session.append("Go on.");
    const { request } = await here.send(session, name);
    expect(messagesOf(request).length).toBeLessThan(6);
    expect(JSON.stringify(messagesOf(request)[0])).toContain('"type":"compaction"');
    for (const kept of [HEAD, "Done.", "Never touch main.", "The last straw", "Go on."])
      expect(JSON.stringify(request)).toContain(kept);
    // Opened again, it is the same.
    await session.close();
    const again = await here.open(name, { parameters: THRESHOLDS[name] });
    await again.history.rewind(at);
    expect(again.view.size().tokens).toBe(size);
    await again.append("Go on.");
    const same = await here.send(again, name);
    expect(messagesOf(same.request)).toEqual(messagesOf(request));
  });

  test("can be taken back, with all that was written beside it", async () => {
    const here = await world(answer(SUMMARY), 400_000);
    const session = await here.open(name, { parameters: THRESHOLDS[name] });
    await conversation(here, session, name, 3, 9_000);
    await session.append(`The last straw: ${"straw ".repeat(9_000)}`);
    const users = (request: Fields): string[] =>
      messagesOf(request)
        .filter(({ role }) => role === "user")
        .map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, ""));
    const before = users((await here.send(session, name)).request);
    const [folded] = await session.history.explain();
    await session.history.restore(folded!.boundary);
    await session.append("Go on.");
    const after = users((await session.prepare()) as Fields);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toEqual([expect.stringContaining("Go on.")]);
    expect(after.at(-1)).not.toMatch(/Use tabs|Message 0 about/);
  });
});

test("the answer keeps its thinking, the size is what was reported, and the folding is paid for", async () => {
  const here = await world(answer(SUMMARY), 400_000);
  const session = await here.open("anthropic", { parameters: THRESHOLDS.anthropic });
  await conversation(here, session, "anthropic", 3, 9_000);
  await session.append(`The last straw: ${"straw ".repeat(9_000)}`);
  const { recorded } = await here.send(session, "anthropic");
  const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = recorded.usage;
  const reported = freshTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  expect(session.view.size().tokens).toBeGreaterThanOrEqual(reported);
  const [own] = await compactionLines(session);
  expect(own).toMatchObject({ priceUsd: expect.any(Number), causes: [] });
  expect(own!.freshTokens + own!.cacheReadTokens + own!.cacheWriteTokens).toBeGreaterThan(50_000);
  await session.append("Go on.");
  const { request } = await here.send(session, "anthropic");
  const [first] = request["messages"] as { role: string; content: Fields[] }[];
  expect(first!.content.map(({ type }) => type)).toEqual(["compaction", "thinking", "text"]);
});

test("what the user says meanwhile comes behind the answer; what was changed meanwhile is not folded", async () => {
  const here = await world(answer(SUMMARY), 400_000);
  const session = await here.open("anthropic", { parameters: THRESHOLDS.anthropic });
  await conversation(here, session, "anthropic", 3, 9_000);
  await session.append(`The last straw: ${"straw ".repeat(9_000)}`);
  const at = session.history.newestEntry;
  const folding = await session.prepare();
  await session.append("By the way.");
  await session.record(await readStream(here.provider("anthropic").send(folding)), folding);
  const { request } = await here.send(session, "anthropic");
  const [first, second] = request["messages"] as { role: string; content: Fields[] }[];
  expect(first!.content.map(({ type }) => type)).toEqual(["compaction", "thinking", "text"]);
  expect(JSON.stringify(second)).toContain("By the way.");
  await session.history.rewind(at);
  const late = await session.prepare();
  const response = await readStream(here.provider("anthropic").send(late));
  await session.history.snip({ from: 2, to: 2 });
  await session.record(response, late);
  expect((await session.history.explain()).filter(({ inEffect }) => inEffect === "yes")).toEqual([]);
  await session.append("Go on.");
  expect(JSON.stringify((await here.send(session, "anthropic")).request["messages"])).not.toContain(SUMMARY);
});

test("a pause after the folding leaves a conversation that can be gone on with", async () => {
  const here = await world(answer(SUMMARY), 400_000);
  const [edit] = THRESHOLDS.anthropic.context_management.edits;
  const edits = [{ ...edit, pause_after_compaction: true }];
  const session = await here.open("anthropic", {
    parameters: { ...THRESHOLDS.anthropic, context_management: { edits } },
  });
  await conversation(here, session, "anthropic", 3, 9_000);
  await session.append(`The last straw: ${"straw ".repeat(9_000)}`);
  expect((await here.send(session, "anthropic")).recorded).toMatchObject({ stop: "compacted", text: "" });
  const { request, recorded } = await here.send(session, "anthropic");
  expect(recorded.text).toBe("Done.");
  expect(firstBlock(request)).toMatchObject({ type: "compaction", content: SUMMARY });
});

/** What may happen to a session; numbers choose among what is there. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("say" as const), words: fc.integer({ min: 1, max: 1_000 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("compact" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("rewind" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restore" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("open" as const), name: fc.constantFrom(...NAMES) }) },
);

test("any session stays valid over folds of the provider's, rewinds, resumes and other providers", async () => {
  let folded = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      const here = await world();
      let name: Name = "anthropic";
      // This service folds in the middle of answers as well.
      const context_management = [{ type: "compaction", compact_threshold: 6_000 }];
      const open = () => here.open(name, name === "openai-responses" ? { parameters: { context_management } } : {});
      let session = await open();
      const points: number[] = [];
      const boundaries: number[] = [];
      let messages = 0;
      const ask = async (words: number): Promise<void> => {
        const { newestEntry: before } = session.history;
        await session.append(`Message ${messages++} about src/load.ts: ${"word ".repeat(words)}`);
        // Whatever the service refuses is thrown.
        const { request } = await here.send(session, name);
        points.push(session.history.newestEntry);
        // What the service folds by itself covers what was folded before: only itself can be taken back.
        const [newest] = await session.history.explain();
        if (newest !== undefined && newest.boundary > before) boundaries.splice(0, Infinity, newest.boundary);
        const blocks = messagesOf(request).map((message) => JSON.stringify(message));
        const own = blocks.findIndex((block) => block.includes('"type":"compaction"'));
        expect(own).toBeLessThanOrEqual(0);
        if (own === 0) folded++;
        expect(blocks.filter((block) => block.includes('"type":"compaction"')).length).toBeLessThanOrEqual(1);
        expect(blocks.join("").split(HEAD)).toHaveLength(2);
        expect(blocks.join("")).toContain("Message 0 about");
        expect(blocks.at(-1)).toContain(`Message ${messages - 1} about`);
      };
      await ask(5);
      await ask(3_000);
      for (const one of steps) {
        if (one.kind === "say") await ask(one.words);
        if (one.kind === "compact") {
          // In a conversation of a few words there is no room for those of the user beside what has to stand there.
          await ask(2_500);
          const outcome = await session.compact();
          if (outcome.kind === "compacted") boundaries.push(outcome.boundary);
        }
        if (one.kind === "rewind") {
          const at = Math.floor(one.share * (points.length - 1));
          if (points[at]! < session.history.newestEntry) await session.history.rewind(points[at]!);
          points.length = at + 1;
          boundaries.length = 0;
        }
        if (one.kind === "restore" && boundaries.length > 0) await session.history.restore(boundaries.pop()!);
        if (one.kind === "open") {
          await session.close();
          name = one.name;
          session = await open();
        }
      }
      await ask(10);
      await session.close();
      await here.close();
    }),
    { numRuns: 40 },
  );
  // What is tested must have happened.
  expect(folded).toBeGreaterThan(40);
});
