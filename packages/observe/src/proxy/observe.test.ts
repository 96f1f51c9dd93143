import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { knownModel } from "palimpsest/provider-parts";
import { expect, onTestFinished, test } from "vitest";
import { analyze } from "../analyze/analyze.ts";
import { readTranscript } from "../transcripts/readers/read-transcript.ts";
import { assistant, messageAnswer, messagesBody, user } from "./testing/bodies.ts";
import { startService } from "./testing/start-service.ts";
import { startTestProxy, type TestProxy } from "./testing/start-test-proxy.ts";

const script: Script = ({ turn }) => answer(`Answer ${turn}.`);

async function startSimulator() {
  const faces = [createAnthropic({ script }), createOpenAiResponses({ script }), createOpenAiChat({ script })];
  const server = await serve({ faces });
  onTestFinished(() => server.close());
  return server;
}

const analyzeLog = async (path: string) =>
  analyze(readTranscript(path), { factsOf: (model) => knownModel(model).facts });

test("clients of all three APIs work through it, and each conversation has a log that can be analyzed", async () => {
  const server = await startSimulator();
  const proxy = await startTestProxy(server.url);
  const anthropic = new Anthropic({ apiKey: "sk-secret-1", baseURL: `${proxy.url}/service`, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [];
  for (const text of ["One.", "Two.", "Three."]) {
    messages.push({ role: "user", content: text });
    const stream = anthropic.messages.stream({ model: "claude-sonnet-4-6", max_tokens: 500, messages });
    const { content } = await stream.finalMessage();
    messages.push({ role: "assistant", content: content as Anthropic.ContentBlockParam[] });
  }
  const openai = new OpenAI({ apiKey: "sk-secret-2", baseURL: `${proxy.url}/service/v1`, maxRetries: 0 });
  await openai.responses.create({ model: "gpt-6-sol", input: "Hello." });
  await openai.chat.completions.create({ model: "gpt-6-sol", messages: [{ role: "user", content: "Hello." }] });
  await proxy.settled();

  const logs = proxy.eventsOf("session");
  expect(logs.map(({ api }) => api)).toEqual(["messages", "responses", "chat"]);
  expect(proxy.eventsOf("response")).toHaveLength(5);
  const { totals, session, damagedLines } = await analyzeLog(logs[0]!.log);
  expect(session).toMatchObject({ agent: "proxy" });
  expect(totals).toMatchObject({ responses: 3, unpricedResponses: 0 });
  expect(damagedLines).toBe(0);
  const spent = proxy.eventsOf("response").slice(0, 3);
  expect(totals.usd).toBeCloseTo(
    spent.reduce((sum, { usd = 0 }) => sum + usd, 0),
    10,
  );
  expect((await analyzeLog(logs[1]!.log)).totals.responses).toBe(1);
  expect((await analyzeLog(logs[2]!.log)).totals.responses).toBe(1);
});

test("the log says how large each tool's definition is, and the analysis what it costs in each request", async () => {
  const call: Script = ({ turn }) => (turn === 0 ? callTools(callTool("small", {})) : answer("Done."));
  const faces = [createAnthropic({ script: call }), createOpenAiResponses({ script }), createOpenAiChat({ script })];
  const server = await serve({ faces });
  onTestFinished(() => server.close());
  const proxy = await startTestProxy(server.url);
  const [small, large] = ["Short.", "Long. ".repeat(2_000)] as const;
  const schema = { type: "object" as const, properties: {} };
  const anthropic = new Anthropic({ apiKey: "sk-1", baseURL: `${proxy.url}/service`, maxRetries: 0 });
  const tools = [
    { name: "small", description: small, input_schema: schema },
    { name: "large", description: large, input_schema: schema },
  ];
  const options = { model: "claude-sonnet-4-6", max_tokens: 500, tools };
  const asked: Anthropic.MessageParam[] = [{ role: "user", content: "One." }];
  const { content } = await anthropic.messages.create({ ...options, messages: asked });
  const result = content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "ok" }] : [],
  );
  const next: Anthropic.MessageParam[] = [...asked, { role: "assistant", content }, { role: "user", content: result }];
  await anthropic.messages.create({ ...options, messages: next });
  const openai = new OpenAI({ apiKey: "sk-2", baseURL: `${proxy.url}/service/v1`, maxRetries: 0 });
  const named = { name: "large", description: large, parameters: schema, strict: false };
  await openai.responses.create({ model: "gpt-6-sol", input: "Hello.", tools: [{ type: "function", ...named }] });
  const messages = [{ role: "user" as const, content: "Hello." }];
  await openai.chat.completions.create({
    model: "gpt-6-sol",
    messages,
    tools: [{ type: "function", function: named }],
  });
  await proxy.settled();

  const [inMessages, inResponses, inChat] = await Promise.all(
    proxy.eventsOf("session").map(async ({ log }) => analyzeLog(log)),
  );
  expect(inMessages!.tools).toMatchObject([
    { name: "large", requests: 2, calls: 0 },
    { name: "small", requests: 2, calls: 1 },
  ]);
  const fixed = inMessages!.parts.find(({ kind }) => kind === "fixed")!;
  const [largest, other] = inMessages!.tools;
  expect(largest!.tokens).toBeGreaterThan(20 * other!.tokens);
  // There is no system prompt: the tools are all that stands before the messages.
  expect(largest!.usd + other!.usd).toBeCloseTo(fixed.usd, 10);
  expect(2 * (largest!.tokens + other!.tokens)).toBeCloseTo(fixed.sentTokens, -1);
  for (const { tools: found } of [inResponses!, inChat!]) expect(found).toMatchObject([{ name: "large", requests: 1 }]);
});

test("credentials are nowhere, and files are for their user only", async () => {
  const server = await startSimulator();
  const proxy = await startTestProxy(server.url);
  const anthropic = new Anthropic({ apiKey: "sk-secret-1", baseURL: `${proxy.url}/service`, maxRetries: 0 });
  await anthropic.messages.create({
    model: "claude-sonnet-4-6",
    max_tokens: 50,
    messages: [{ role: "user", content: "x" }],
  });
  await proxy.settled();
  expect(proxy.written()).toContain('"relation":"begins"');
  expect(`${proxy.written()}${JSON.stringify(proxy.events)}`).not.toContain("secret");
  const files = readdirSync(proxy.folder);
  expect(files).toHaveLength(1);
  for (const file of files) expect(statSync(join(proxy.folder, file)).mode & 0o777).toBe(0o600);
});

const NAMED = { "x-claude-code-session-id": "s1", "content-type": "application/json" };

async function sendAll(proxy: TestProxy, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const response = await fetch(`${proxy.url}/service/v1/messages`, { method: "POST", headers: NAMED, body });
    await response.text();
    await proxy.settled();
  }
}

/** A service that counts as it is told, one request after the other. */
function counting(usages: readonly object[]) {
  let requests = 0;
  return startService((response) => {
    const usage = usages[requests++]!;
    response.end(messageAnswer(`Answer ${requests}.`, usage, `msg_${requests}`));
  });
}

const wrote = (tokens: number) => ({ cache_creation_input_tokens: tokens });
const read = (tokens: number) => ({ cache_read_input_tokens: tokens });

test("a cache break is told with its cause and its price", async () => {
  const service = await counting([wrote(50_000), { ...read(0), ...wrote(50_100) }, read(50_100)]);
  const proxy = await startTestProxy(service.url);
  const two = [user("one"), assistant("Answer 1."), user("two")];
  const three = [...two, assistant("Answer 2."), user("three")];
  await sendAll(proxy, [
    messagesBody([user("one")]),
    messagesBody(two, { tools: [{ name: "read", input_schema: { type: "object" } }] }),
    messagesBody(three, { tools: [{ name: "read", input_schema: { type: "object" } }] }),
  ]);
  const [broken, ...others] = proxy.eventsOf("break");
  expect(others).toEqual([]);
  expect(broken).toMatchObject({ causes: ["tools"], rebilledTokens: 50_000, model: "claude-sonnet-4-6" });
  expect((await analyzeLog(proxy.eventsOf("session")[0]!.log)).lost).toMatchObject({ tools: { breaks: 1 } });
  // Written at 3.75 instead of read at 0.30 dollars per million.
  expect(broken!.usd).toBeCloseTo((50_000 * 3.45) / 1e6, 6);
});

test("a conversation that its client compacts goes on in the same log, and the break is the client's", async () => {
  const service = await counting([wrote(50_000), { ...read(0), ...wrote(9_000) }]);
  const proxy = await startTestProxy(service.url);
  await sendAll(proxy, [messagesBody([user("one")]), messagesBody([user("A summary.")])]);
  expect(proxy.eventsOf("session")).toHaveLength(1);
  expect(proxy.eventsOf("break")).toMatchObject([{ causes: ["boundary"] }]);
  const { compactions } = await analyzeLog(proxy.eventsOf("session")[0]!.log);
  expect(compactions).toHaveLength(1);
});

test("refused requests and unknown bodies change no log", async () => {
  const service = await startService((response, { body }) =>
    body.includes("bad")
      ? response.writeHead(400).end('{"error":{"message":"no"}}')
      : response.end(messageAnswer("Hi.")),
  );
  const proxy = await startTestProxy(service.url);
  await sendAll(proxy, [messagesBody([user("one")]), messagesBody([user("one"), user("bad")]), "not json"]);
  expect(proxy.eventsOf("failed")).toMatchObject([{ status: 400 }]);
  expect(proxy.eventsOf("passed")).toMatchObject([{ why: "unreadable" }]);
  expect(proxy.written().match(/"type":"request"/g)).toHaveLength(1);
});

test("a folder that cannot be written stops no traffic", async () => {
  const service = await counting([{}]);
  const proxy = await startTestProxy(service.url, { folder: "/dev/null/nowhere" });
  await sendAll(proxy, [messagesBody([user("one")])]);
  expect(proxy.eventsOf("passed")).toMatchObject([{ why: "not-written" }]);
});

test("a body beyond the limit is forwarded and not looked at", async () => {
  const service = await counting([{}]);
  const proxy = await startTestProxy(service.url, { limits: { maxObservedBytes: 1_000 } });
  const body = messagesBody([user("x".repeat(5_000))]);
  await sendAll(proxy, [body]);
  expect(String(service.received[0]!.body)).toBe(body);
  expect(proxy.eventsOf("passed")).toMatchObject([{ why: "too-large" }]);
});
