import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { messageAnswer, messagesBody, toolCall, toolResult, user } from "../testing/bodies.ts";
import { type ReceivedRequest, startService } from "../testing/start-service.ts";
import { startTestProxy, type TestProxy } from "../testing/start-test-proxy.ts";

const LONG = `first line\n${"a quite ordinary line\n".repeat(4_000)}last line`;
const KEY = { "x-claude-code-session-id": "s1", "x-api-key": "sk-1" };
const BEGUN = [user("Read it.")];
const NEW = [...BEGUN, toolCall("c1"), toolResult("c1", LONG)];
const LATER = [...NEW, toolCall("c2"), toolResult("c2", "short")];

async function send(
  proxy: TestProxy,
  messages: readonly object[],
  headers: Record<string, string> = KEY,
): Promise<Response> {
  const body = messagesBody(messages);
  const response = await fetch(`${proxy.url}/service/v1/messages`, { method: "POST", headers, body });
  await response.clone().arrayBuffer();
  return response;
}

const startAccepting = () => startService((response) => response.end(messageAnswer("Hi.")));
const resultIn = ({ body }: ReceivedRequest): string => JSON.parse(String(body)).messages[2].content[0].content;

test("a large new result is replaced once, and stays as it was sent, also after a restart", async () => {
  const service = await startAccepting();
  const proxy = await startTestProxy(service.url, { mode: "store" });
  for (const messages of [BEGUN, NEW, LATER]) await send(proxy, messages);
  await proxy.settled();
  const [, second, third] = service.received;
  const stub = resultIn(second!);
  expect(stub).toMatch(/^first line[\s\S]*left out by palimpsest proxy[\s\S]*last line$/);
  expect(stub.length).toBeLessThan(4_000);
  expect(resultIn(third!)).toBe(stub);
  // Nothing else has changed.
  const whole = (messages: readonly object[]): string => messagesBody(messages);
  const replaced = JSON.stringify(LONG);
  expect(String(second!.body)).toBe(whole(NEW).replace(replaced, () => JSON.stringify(stub)));
  expect(String(third!.body)).toBe(whole(LATER).replace(replaced, () => JSON.stringify(stub)));
  const [stored] = proxy.eventsOf("stored");
  expect(stored).toMatchObject({ callId: "c1" });
  expect(readFileSync(stored!.file, "utf8")).toBe(LONG);
  expect(statSync(stored!.file).mode & 0o777).toBe(0o600);

  const again = await startTestProxy(service.url, { mode: "store", folder: proxy.folder });
  await send(again, LATER);
  expect(resultIn(service.received.at(-1)!)).toBe(stub);
});

test("what was sent before stays as it was sent", async () => {
  const service = await startAccepting();
  const observing = await startTestProxy(service.url);
  await send(observing, NEW);
  const proxy = await startTestProxy(service.url, { mode: "store" });
  // The conversation began elsewhere: nobody knows what the service has seen.
  await send(proxy, NEW);
  await send(proxy, LATER);
  for (const request of service.received) expect(resultIn(request)).toBe(LONG);
});

test.each([
  ["a subscription", { authorization: "Bearer sk-ant-oat01-token" }],
  ["another kind of token", { authorization: "Bearer eyJhbGciOi.x.y" }],
  ["no key at all", {}],
])("requests with %s are never changed", async (_, headers) => {
  const service = await startAccepting();
  const proxy = await startTestProxy(service.url, { mode: "store" });
  const named = { "x-claude-code-session-id": "s1", ...headers } as Record<string, string>;
  for (const messages of [BEGUN, NEW]) await send(proxy, messages, named);
  expect(String(service.received[1]!.body)).toBe(messagesBody(NEW));
  expect(proxy.eventsOf("passed")).toMatchObject([{ why: "no-key" }, { why: "no-key" }]);
});

test("a service that refuses the replacement gets the original once, and the session is edited no more", async () => {
  const service = await startService((response, { body }) =>
    body.includes("left out by palimpsest")
      ? response.writeHead(400).end('{"error":{"message":"no"}}')
      : response.end(messageAnswer("Hi.")),
  );
  const proxy = await startTestProxy(service.url, { mode: "store" });
  for (const messages of [BEGUN, NEW]) expect((await send(proxy, messages)).status).toBe(200);
  expect(service.received).toHaveLength(3);
  expect(resultIn(service.received[2]!)).toBe(LONG);
  expect((await send(proxy, LATER)).status).toBe(200);
  expect(service.received).toHaveLength(4);
  expect(resultIn(service.received[3]!)).toBe(LONG);
  expect(proxy.eventsOf("passed")).toMatchObject([{ why: "refused" }]);
});

test("a deadline, or the switch, lets requests go as they are", async () => {
  const service = await startAccepting();
  const slow = await startTestProxy(service.url, { mode: "store", limits: { editMs: 0 } });
  for (const messages of [BEGUN, NEW]) await send(slow, messages);
  expect(slow.eventsOf("passed").map(({ why }) => why)).toContain("too-slow");
  const switched = await startTestProxy(service.url, { mode: "store" });
  await send(switched, BEGUN);
  switched.stopEditing();
  await send(switched, NEW);
  for (const request of service.received.filter(({ body }) => body.includes("last line"))) {
    expect(resultIn(request)).toBe(LONG);
  }
});

test("the log has what the model saw", async () => {
  const service = await startAccepting();
  const proxy = await startTestProxy(service.url, { mode: "store" });
  for (const messages of [BEGUN, NEW]) await send(proxy, messages);
  await proxy.settled();
  const text = readFileSync(proxy.eventsOf("session")[0]!.log, "utf8");
  expect(text).toContain("left out by palimpsest");
  expect(text.length).toBeLessThan(10_000);
});
