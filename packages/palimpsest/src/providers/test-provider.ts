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
      const subject = await place(situation);
      try {
        await run(subject);
      } finally {
        await subject.remove();
      }
    });
  const replies = (...list: TestReply[]): TestSituation => ({ kind: "replies", replies: list });

  check(
    "renders the same bytes each time, freezes the result, and does not change the message",
    replies(),
    async ({ provider }) => {
      for (const message of EXCHANGE) {
        const input = structuredClone(message);
        const [one, two] = [provider.renderMessage(input), provider.renderMessage(input)];
        assert.equal(JSON.stringify(one), JSON.stringify(two));
        assert.deepEqual(input, message);
        assert.ok(isDeeplyFrozen(one), "a rendered message can still be changed");
        assert.ok(!isDeeplyFrozen(input.blocks), "rendering has frozen its input");
      }
    },
  );

  check("renders a request without changing its messages, with cache marks or without", replies(), async (subject) => {
    const plain = request(subject, EXCHANGE);
    const before = JSON.stringify(plain.messages);
    const { provider } = subject;
    const [one, two] = [provider.renderRequest(plain), provider.renderRequest(plain)];
    assert.equal(JSON.stringify(one), JSON.stringify(two));
    const marked = provider.renderRequest({ ...plain, marks: [0, plain.messages.length - 1], cacheTtl: "1h" });
    assert.equal(JSON.stringify(plain.messages), before);
    assert.ok(JSON.stringify(marked).length >= JSON.stringify(one).length);
  });

  check(
    "caches the system prompt and the tools for an hour if requested",
    replies({ text: "One." }),
    async (subject) => {
      const { provider } = subject;
      const parts = { ...request(subject, [ASK]), marks: [0] };
      const hours = (more: { readonly headTtl?: "1h"; readonly cacheTtl?: "1h" }): number =>
        JSON.stringify(provider.renderRequest({ ...parts, ...more })).split('"1h"').length - 1;
      const [none, head, all] = [hours({}), hours({ headTtl: "1h" }), hours({ cacheTtl: "1h" })];
      assert.equal(none, 0);
      // If the service lets a request choose, only the system prompt and the tools get the longer lifetime.
      assert.ok(all === 0 ? head === 0 : head > 0 && head < all, `${head} of ${all} marks are for an hour`);
      await send(subject, { ...parts, headTtl: "1h" });
    },
  );

  check("reads rendered messages and renders them to the same bytes", replies(), async ({ provider }) => {
    const rendered = EXCHANGE.flatMap((message) => provider.renderMessage(message));
    const again = flatten(provider.readMessages(rendered)).flatMap((message) => provider.renderMessage(message));
    assert.equal(JSON.stringify(again), JSON.stringify(rendered));
  });

  check("reads each tool result as a separate message", replies(), async ({ provider }) => {
    const read = provider.readMessages(EXCHANGE.flatMap((message) => provider.renderMessage(message)));
    for (const { blocks } of read)
      assert.ok(blocks.length === 1 || blocks.every(({ kind }) => kind !== "tool_result"), JSON.stringify(blocks));
  });

  check("reads malformed messages without failing", replies(), async ({ provider }) => {
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

  check("streams an answer in pieces and returns it whole", replies({ text: ANSWER }), async (subject) => {
    const { parts, content } = await exchange(subject, [ASK]);
    assert.equal(parts.map((part) => (part.kind === "text" ? part.text : "")).join(""), ANSWER);
    assert.ok(parts.length > 1, "the answer came in one piece");
    // A block may also have the provider's own form.
    const texts = content.blocks.map((block) => ({ kind: block.kind, text: block.kind === "text" ? block.text : "" }));
    assert.deepEqual(texts, [{ kind: "text", text: ANSWER }]);
    assert.equal(content.stop, "end");
    assert.ok(content.responseId !== "" && content.model !== "");
    assert.equal(subject.calls(), 1);
  });

  check(
    "sends thinking, tool calls and their results back",
    replies(
      { thinking: "Two files will tell.", calls: CALLS },
      { thinking: "One more.", calls: CALLS },
      { text: ANSWER },
    ),
    async (subject) => {
      const conversation: FlatMessage[] = [ASK];
      const first = await exchange(subject, conversation);
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
      const second = await exchange(subject, conversation);
      conversation.push({ role: "assistant", blocks: second.content.blocks }, answersTo(second.content));
      assert.equal((await exchange(subject, conversation)).content.stop, "end");
    },
  );

  check(
    "reports usage that adds up to the whole input, cached or not",
    replies({ text: "One." }, { text: "Two." }),
    async (subject) => {
      const long: FlatMessage = {
        role: "user",
        blocks: [{ kind: "text", text: "All work and no play. ".repeat(2_000) }],
      };
      for (const turn of [1, 2]) {
        const parts = { ...request(subject, [long]), marks: [0] };
        const counted = await subject.provider.countTokens(subject.provider.renderRequest(parts));
        const { usage } = (await send(subject, parts)).content;
        const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
        const input = freshTokens + cacheReadTokens + cacheWriteTokens;
        assert.ok(input > 5_000 && outputTokens > 0, `turn ${turn}: ${JSON.stringify(usage)}`);
        if (counted !== undefined) assert.equal(input, counted, `turn ${turn}: ${JSON.stringify(usage)}`);
      }
    },
  );

  const fails = (name: string, situation: TestSituation, isExpected: (failure: ProviderFailure) => boolean): void =>
    check(name, situation, async (subject) => {
      const failure = await failureOf(subject);
      assert.ok(isExpected(failure), JSON.stringify(failure));
      assert.ok(subject.calls() <= 1, `the client retried: ${subject.calls()} calls`);
    });
  fails(
    "reports a rate limit with its wait, without a retry by the client",
    { kind: "rate-limited", retryAfterMs: 2_000 },
    (failure) => failure.kind === "rate-limited" && failure.retryAfterMs === 2_000,
  );
  fails("reports an overloaded service", { kind: "overloaded" }, ({ kind }) => kind === "overloaded");
  fails(
    "reports an overload in the middle of a stream",
    { kind: "overloaded-in-stream" },
    ({ kind }) => kind === "overloaded",
  );
  fails("reports a stream that was cut off", { kind: "cut-stream" }, ({ kind }) => kind === "broken-stream");
  fails("reports a connection that was reset", { kind: "reset-connection" }, ({ kind }) => kind === "unreachable");
  fails(
    "reports an input that does not fit the window",
    { kind: "overflow" },
    (failure) => failure.kind === "overflow" && failure.by === "tokens",
  );

  check("reports an unknown model as refused", replies({ text: ANSWER }), async (subject) => {
    const failure = await failureOf({ ...subject, model: "no-such-model" });
    assert.equal(failure.kind, "refused");
  });

  check("sends nothing if the call is already aborted", replies({ text: ANSWER }), async (subject) => {
    assert.deepEqual(await failureOf(subject, AbortSignal.abort()), { kind: "aborted" });
    assert.equal(subject.calls(), 0);
  });

  check("stops a stream when the call is aborted", { kind: "stalled-stream" }, async (subject) => {
    assert.deepEqual(await failureOf(subject, AbortSignal.timeout(200)), { kind: "aborted" });
  });

  check("returns facts of any model, even without a network", replies(), async ({ provider, model }) => {
    for (const id of [model, "no-such-model"]) {
      assert.ok(provider.factsOf(id).maxOutputTokens > 0);
      assert.ok((await provider.fetchFacts(id)).maxOutputTokens > 0);
    }
    assert.equal(provider.factsOf("no-such-model").prices, undefined);
  });
}

/** Your test function, and a provider for each situation. */
export interface TestProviderOptions {
  /** The `test` function of the runner in use: vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** Creates a provider that calls a service in this situation. The client keeps its default retries. */
  place(situation: TestSituation): Promise<ProviderPlace>;
}

/** A provider and the service that it calls. */
interface ProviderPlace {
  readonly provider: Provider;
  /** A model that the service knows. */
  readonly model: string;
  /** The number of model calls that reached the service. */
  calls(): number;
  /** Called after each case, passed or failed. */
  remove(): Promise<void>;
}

/** How the service behaves. */
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

/** One reply of the service. */
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

async function exchange(subject: ProviderPlace, conversation: readonly FlatMessage[]): Promise<Exchanged> {
  return send(subject, request(subject, conversation));
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

async function failureOf(subject: ProviderPlace, signal?: AbortSignal): Promise<ProviderFailure> {
  try {
    await send(subject, request(subject, [ASK]), signal);
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
