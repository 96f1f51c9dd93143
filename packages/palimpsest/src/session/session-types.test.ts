import { answer, callTool, callTools, createAnthropic, inOrder } from "@palimpsest/provider-simulator";
import { expect, expectTypeOf, test } from "vitest";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import { anthropicInProcess } from "../providers/testing/worlds.ts";
import { tool } from "../schema/tool.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { query } from "../turn/query.ts";
import { openSession } from "./open.ts";
import type { Session } from "./session.ts";

const stock = tool({
  name: "stock",
  description: "Counts an article.",
  inputSchema: { type: "object", properties: { article: { type: "string" } } },
  execute: ({ article }) => `7 of ${String(article)}`,
});
const callStock = callTools(callTool("stock", { article: "A-7" }));

function open(options: { readonly tools?: readonly (typeof stock)[] } = {}) {
  const face = createAnthropic({ script: inOrder([callStock], () => answer("There are 7.")) });
  const provider = anthropic(anthropicInProcess(face));
  return openSession({ store: memoryStore(), provider, model: "claude-opus-5-5", ...options });
}

/** A function as a user may write it. */
async function endingOf(session: Session): Promise<string[]> {
  const endings: string[] = [];
  for await (const event of query(session, { prompt: "How many?" }))
    if (event.kind === "tool-ended") endings.push(event.how);
  return endings;
}

test("has the types of its provider, or none with the bare type", async () => {
  const session = await open();
  expectTypeOf(session.prepare).returns.resolves.toEqualTypeOf<AnthropicRequest>();
  expectTypeOf(session.record).parameter(0).toEqualTypeOf<AnthropicResponse>();
  const any: Session = session;
  const back: typeof session = any;
  expectTypeOf(back).toEqualTypeOf<Session<AnthropicRequest, AnthropicResponse>>();
  expectTypeOf<Session<object, object>>().toExtend<Session>();
  expectTypeOf<Session>().toExtend<Session<object, object>>();
  await session.close();
});

test("runs the tools of openSession with query", async () => {
  const session = await open({ tools: [stock] });
  expect(await endingOf(session)).toEqual(["ran"]);
  expect(session.view.tools()).toEqual([stock]);
});

test("runs the tools of configure with query, and the parent's tools in a fork", async () => {
  const session = await open();
  await session.configure({ tools: [stock] });
  await session.append("Hello.");
  const fork = await session.fork({ source: "look" });
  expect(await endingOf(fork)).toEqual(["ran"]);
});

test("answers a call to a tool without code as unknown", async () => {
  const { name, description } = stock;
  const session = await open();
  await session.configure({ tools: [{ name, description, inputSchema: { type: "object" } }] });
  expect(await endingOf(session)).toEqual(["unknown-tool"]);
});

test("accepts a streamed result only alone", async () => {
  const session = await open();
  const streamed = { callId: "1", chunks: (async function* () {})(), status: "ok" as const };
  await expect(session.append([streamed as never, "more"])).rejects.toThrow("append(content)");
  await expect(session.append(streamed as never, { key: "k" })).rejects.toThrow("has no key");
});
