// The contract of every provider, as tests for any test runner.

import assert from "node:assert/strict";
import type { Block } from "../log/block.ts";
import type { FlatMessage } from "../view/view.ts";
import {
  type Provider,
  ProviderError,
  type ProviderFailure,
  type RequestParts,
  type ResponseContent,
  type StreamPart,
} from "./provider.ts";
import { readStream } from "./stream.ts";

/** Defines the tests that every provider must pass. Call it once, in a test file, with the runner's own `test`. */
export function testProvider({ test, place }: TestProviderOptions): void {
  const check = (name: string, situation: TestSituation, run: (place: ProviderPlace) => Promise<void>): void =>
    test(name, async () => {
      const somewhere = await place(situation);
      try {
        await run(somewhere);
      } finally {
        await somewhere.remove();
      }
    });
  const replies = (...said: TestReply[]): TestSituation => ({ kind: "replies", replies: said });

  check(
    "rendering is pure: same bytes, frozen, and what was given stays as it was",
    replies(),
    async ({ provider }) => {
      for (const message of EXCHANGE) {
        const given = structuredClone(message);
        const [one, two] = [provider.renderMessage(given), provider.renderMessage(given)];
        assert.equal(JSON.stringify(one), JSON.stringify(two));
        assert.deepEqual(given, message);
        assert.ok(isDeeplyFrozen(one), "a rendered message can still be changed");
        assert.ok(!isDeeplyFrozen(given.blocks), "rendering has frozen what it was given");
      }
    },
  );

  check("a request changes no message, and marks move no byte of what is said", replies(), async (somewhere) => {
    const plain = request(somewhere, EXCHANGE);
    const before = JSON.stringify(plain.messages);
    const { provider } = somewhere;
    const [one, two] = [provider.renderRequest(plain), provider.renderRequest(plain)];
    assert.equal(JSON.stringify(one), JSON.stringify(two));
    const marked = provider.renderRequest({ ...plain, marks: [0, plain.messages.length - 1], cacheTtl: "1h" });
    assert.equal(JSON.stringify(plain.messages), before);
    assert.ok(JSON.stringify(marked).length >= JSON.stringify(one).length);
  });

  check(
    "system prompt and tools may be cached longer than the messages",
    replies({ text: "One." }),
    async (somewhere) => {
      const { provider } = somewhere;
      const parts = { ...request(somewhere, [ASK]), marks: [0] };
      const hours = (more: { readonly headTtl?: "1h"; readonly cacheTtl?: "1h" }): number =>
        JSON.stringify(provider.renderRequest({ ...parts, ...more })).split('"1h"').length - 1;
      const [none, head, all] = [hours({}), hours({ headTtl: "1h" }), hours({ cacheTtl: "1h" })];
      assert.equal(none, 0);
      // Where the request can choose, the system prompt has the longer lifetime and the messages do not.
      assert.ok(all === 0 ? head === 0 : head > 0 && head < all, `${head} marks of an hour, of ${all}`);
      await send(somewhere, { ...parts, headTtl: "1h" });
    },
  );

  check("what was rendered is read back and rendered to the same bytes", replies(), async ({ provider }) => {
    const rendered = EXCHANGE.flatMap((message) => provider.renderMessage(message));
    const again = flatten(provider.readMessages(rendered)).flatMap((message) => provider.renderMessage(message));
    assert.equal(JSON.stringify(again), JSON.stringify(rendered));
  });

  check("each tool result is a message of its own", replies(), async ({ provider }) => {
    const read = provider.readMessages(EXCHANGE.flatMap((message) => provider.renderMessage(message)));
    for (const { blocks } of read)
      assert.ok(blocks.length === 1 || blocks.every(({ kind }) => kind !== "tool_result"), JSON.stringify(blocks));
  });

  check("messages of any shape are read without failing", replies(), async ({ provider }) => {
    const odd = [null, 1, "text", [], {}, { role: "user" }, { role: "user", content: null }, { role: 7, content: [] }];
    const broken = [
      { role: "assistant", content: [null, 3, "text", {}, { type: "text" }, { type: "tool_use" }] },
      { role: "tool", content: [{ type: "unheard-of" }] },
      { role: "narrator", content: "Once." },
      { type: "function_call" },
      { type: "function_call_output", output: null },
    ];
    for (const payload of provider.readMessages([...odd, ...broken])) assert.ok(payload.blocks.length > 0);
  });

  check("an answer arrives in pieces and whole", replies({ text: ANSWER }), async (somewhere) => {
    const { parts, content } = await exchange(somewhere, [ASK]);
    assert.equal(parts.map((part) => (part.kind === "text" ? part.text : "")).join(""), ANSWER);
    assert.ok(parts.length > 1, "the answer came in one piece");
    // Beside its text, a block may have the provider's own form.
    const texts = content.blocks.map((block) => ({ kind: block.kind, text: block.kind === "text" ? block.text : "" }));
    assert.deepEqual(texts, [{ kind: "text", text: ANSWER }]);
    assert.equal(content.stop, "end");
    assert.ok(content.responseId !== "" && content.model !== "");
    assert.equal(somewhere.calls(), 1);
  });

  check(
    "calls and their results go back as they came, beside the thinking that led to them",
    replies(
      { thinking: "Two files will tell.", calls: CALLS },
      { thinking: "One more.", calls: CALLS },
      { text: ANSWER },
    ),
    async (somewhere) => {
      const conversation: FlatMessage[] = [ASK];
      const first = await exchange(somewhere, conversation);
      assert.equal(first.content.stop, "tools");
      assert.deepEqual(
        callsOf(first.content).map(({ name, input }) => ({ name, input })),
        CALLS,
      );
      const started = first.parts.filter((part) => part.kind === "tool_call");
      assert.deepEqual(
        started.map(({ id, name }) => ({ id, name })),
        callsOf(first.content).map(({ id, name }) => ({ id, name })),
      );
      conversation.push({ role: "assistant", blocks: first.content.blocks }, answersTo(first.content));
      const second = await exchange(somewhere, conversation);
      conversation.push({ role: "assistant", blocks: second.content.blocks }, answersTo(second.content));
      assert.equal((await exchange(somewhere, conversation)).content.stop, "end");
    },
  );

  check(
    "usage adds up to the whole input, whether it was cached or not",
    replies({ text: "One." }, { text: "Two." }),
    async (somewhere) => {
      const long: FlatMessage = {
        role: "user",
        blocks: [{ kind: "text", text: "All work and no play. ".repeat(2_000) }],
      };
      for (const turn of [1, 2]) {
        const parts = { ...request(somewhere, [long]), marks: [0] };
        const counted = await somewhere.provider.countTokens(somewhere.provider.renderRequest(parts));
        const { usage } = (await send(somewhere, parts)).content;
        const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
        const input = freshTokens + cacheReadTokens + cacheWriteTokens;
        assert.ok(input > 5_000 && outputTokens > 0, `turn ${turn}: ${JSON.stringify(usage)}`);
        if (counted !== undefined) assert.equal(input, counted, `turn ${turn}: ${JSON.stringify(usage)}`);
      }
    },
  );

  const fails = (name: string, situation: TestSituation, isExpected: (failure: ProviderFailure) => boolean): void =>
    check(name, situation, async (somewhere) => {
      const failure = await failureOf(somewhere);
      assert.ok(isExpected(failure), JSON.stringify(failure));
      assert.ok(somewhere.calls() <= 1, `the client called ${somewhere.calls()} times by itself`);
    });
  fails(
    "a rate limit says how long to wait, and the client does not try again by itself",
    { kind: "rate-limited", retryAfterMs: 2_000 },
    (failure) => failure.kind === "rate-limited" && failure.retryAfterMs === 2_000,
  );
  fails("an overloaded service", { kind: "overloaded" }, ({ kind }) => kind === "overloaded");
  fails("an overload in mid-stream", { kind: "overloaded-in-stream" }, ({ kind }) => kind === "overloaded");
  fails("a stream that is cut", { kind: "cut-stream" }, ({ kind }) => kind === "broken-stream");
  fails("a connection that is reset", { kind: "reset-connection" }, ({ kind }) => kind === "unreachable");
  fails(
    "an input that does not fit",
    { kind: "overflow" },
    (failure) => failure.kind === "overflow" && failure.by === "tokens",
  );

  check("a model that nobody knows is refused", replies({ text: ANSWER }), async (somewhere) => {
    const failure = await failureOf({ ...somewhere, model: "no-such-model" });
    assert.equal(failure.kind, "refused");
  });

  check("a call that was aborted before it began", replies({ text: ANSWER }), async (somewhere) => {
    assert.deepEqual(await failureOf(somewhere, AbortSignal.abort()), { kind: "aborted" });
    assert.equal(somewhere.calls(), 0);
  });

  check("a call that is aborted in mid-stream", { kind: "stalled-stream" }, async (somewhere) => {
    assert.deepEqual(await failureOf(somewhere, AbortSignal.timeout(200)), { kind: "aborted" });
  });

  check("facts are had of any model, also where nothing can be fetched", replies(), async ({ provider, model }) => {
    for (const id of [model, "no-such-model"]) {
      assert.ok(provider.factsOf(id).maxOutputTokens > 0);
      assert.ok((await provider.fetchFacts(id)).maxOutputTokens > 0);
    }
    assert.equal(provider.factsOf("no-such-model").prices, undefined);
  });
}

/** Your test function, and the provider to test. */
export interface TestProviderOptions {
  /** The `test` function of the runner in use: vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** Creates a provider in front of a service in this situation. Its client keeps its own retries. */
  place(situation: TestSituation): Promise<ProviderPlace>;
}

/** A provider and the service behind it. */
interface ProviderPlace {
  readonly provider: Provider;
  /** A model that the service knows. */
  readonly model: string;
  /** The number of calls to the model that reached the service. */
  calls(): number;
  /** Called at the end of each case, passed or failed. */
  remove(): Promise<void>;
}

/** The behavior of the service behind a provider. */
export type TestSituation =
  /** Sends one reply after the other. */
  | { readonly kind: "replies"; readonly replies: readonly TestReply[] }
  | { readonly kind: "rate-limited"; readonly retryAfterMs: number }
  | { readonly kind: "overloaded" }
  /** Sends a part of the answer, then the failure as an event. */
  | { readonly kind: "overloaded-in-stream" }
  /** Sends a part of the answer, then closes the connection. */
  | { readonly kind: "cut-stream" }
  /** Sends a part of the answer, then nothing more. */
  | { readonly kind: "stalled-stream" }
  | { readonly kind: "reset-connection" }
  /** Treats every request as larger than the model's window. */
  | { readonly kind: "overflow" };

/** One reply of the service behind a provider. */
export interface TestReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

const ANSWER = "An answer that is longer than one piece of a stream, with an emoji 😀 and a line\nbreak in it.";

const CALLS: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[] = [
  { name: "read", input: { path: "a.ts", lines: [1, 2] } },
  { name: "read", input: { path: "b.ts" } },
];

const TOOLS = [
  {
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
];

const ASK: FlatMessage = { role: "user", blocks: [{ kind: "text", text: "What is in the files?" }] };

/** Messages with every kind of block, in our neutral form. */
const EXCHANGE: readonly FlatMessage[] = [
  {
    role: "user",
    blocks: [
      { kind: "text", text: "Look at this." },
      { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } },
    ],
  },
  {
    role: "assistant",
    blocks: [
      { kind: "text", text: "I will." },
      { kind: "tool_call", id: "call-1", name: "read", input: { path: "a.ts", deep: { list: [1, "ü"] } } },
      { kind: "tool_call", id: "call-2", name: "read", input: {} },
    ],
  },
  {
    role: "user",
    blocks: [
      { kind: "tool_result", callId: "call-1", content: "const a = 1;", status: "ok" },
      { kind: "tool_result", callId: "call-2", content: "No such file.", status: "ok" },
      { kind: "text", text: "Go on." },
    ],
  },
  { role: "assistant", blocks: [{ kind: "text", text: "Done." }] },
];

/** Joins neighboring messages of one role, as flattening does. */
function flatten(
  payloads: readonly { readonly role: FlatMessage["role"]; readonly blocks: readonly Block[] }[],
): FlatMessage[] {
  const messages: FlatMessage[] = [];
  for (const { role, blocks } of payloads) {
    const last = messages.at(-1);
    if (last?.role === role) messages[messages.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else messages.push({ role, blocks });
  }
  return messages;
}

function request({ provider, model }: ProviderPlace, conversation: readonly FlatMessage[]): RequestParts<unknown> {
  return {
    model,
    system: "You are a careful reader.",
    tools: TOOLS,
    parameters: {},
    messages: conversation.flatMap((message) => provider.renderMessage(message)),
    marks: [],
    cacheTtl: "5m",
    maxTokens: 4_000,
    session: "session-1",
  };
}

async function exchange(somewhere: ProviderPlace, conversation: readonly FlatMessage[]): Promise<Exchanged> {
  return send(somewhere, request(somewhere, conversation));
}

interface Exchanged {
  readonly parts: readonly StreamPart[];
  readonly content: ResponseContent;
}

async function send(
  { provider }: ProviderPlace,
  request: RequestParts<unknown>,
  signal?: AbortSignal,
): Promise<Exchanged> {
  const parts: StreamPart[] = [];
  const stream = provider.send(provider.renderRequest(request), signal === undefined ? {} : { signal });
  const response = await readStream(stream, (part) => parts.push(part));
  return { parts, content: provider.readResponse(response) };
}

async function failureOf(somewhere: ProviderPlace, signal?: AbortSignal): Promise<ProviderFailure> {
  try {
    await send(somewhere, request(somewhere, [ASK]), signal);
  } catch (error) {
    assert.ok(ProviderError.isInstance(error), `not a ProviderError: ${error}`);
    return error.failure;
  }
  return assert.fail("the call did not fail");
}

function callsOf({ blocks }: ResponseContent): readonly Extract<Block, { kind: "tool_call" }>[] {
  return blocks.filter((block) => block.kind === "tool_call");
}

function answersTo(content: ResponseContent): FlatMessage {
  const blocks = callsOf(content).map(
    ({ id }): Block => ({ kind: "tool_result", callId: id, content: `Result of ${id}.`, status: "ok" }),
  );
  return { role: "user", blocks };
}

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}
