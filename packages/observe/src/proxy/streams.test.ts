import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { messagesBody, user } from "./testing/bodies.ts";
import { startService } from "./testing/start-service.ts";
import { startTestProxy } from "./testing/start-test-proxy.ts";

const STREAMS = 200;
const EVENTS = 20;

/** Different for each stream, so that nothing can be mixed up. */
const eventOf = (stream: string, event: number): string =>
  `event: ping\ndata: {"stream":"${stream}","event":${event}}\n\n`;

test(`${STREAMS} streams at a time, among them requests of 5 MB, are each whole and in order`, async () => {
  const service = await startService(async (response, { path }) => {
    const stream = new URL(path, "http://x").searchParams.get("stream")!;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let event = 0; event < EVENTS; event++) {
      response.write(eventOf(stream, event));
      await sleep(Math.random() * 10);
    }
    response.end();
  });
  const proxy = await startTestProxy(service.url);
  const sent = Array.from({ length: STREAMS }, async (_, stream) => {
    const body = messagesBody([user("x".repeat(stream % 50 === 0 ? 5_000_000 : 1_000))]);
    const response = await fetch(`${proxy.url}/service/v1/messages?stream=${stream}`, { method: "POST", body });
    return response.text();
  });
  const texts = await Promise.all(sent);
  for (const [stream, text] of texts.entries()) {
    expect(text).toBe(Array.from({ length: EVENTS }, (_, event) => eventOf(String(stream), event)).join(""));
  }
  // Pings are no answer of a model: nothing is counted, and nothing is passed over either.
  await proxy.settled();
  expect(proxy.eventsOf("passed")).toEqual([]);
  expect(proxy.eventsOf("failed")).toHaveLength(STREAMS);
});
