import { join } from "node:path";
import { createReplay, serve } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import { messageAnswer, messagesBody, user } from "../testing/bodies.ts";
import { startService } from "../testing/start-service.ts";
import { startTestProxy } from "../testing/start-test-proxy.ts";

async function ask(url: string, text: string): Promise<{ readonly status: number; readonly body: string }> {
  const headers = { authorization: "Bearer sk-secret", "content-type": "application/json" };
  const body = messagesBody([user(text)]);
  const response = await fetch(`${url}/service/v1/messages`, { method: "POST", headers, body });
  return { status: response.status, body: await response.text() };
}

test("the simulator answers recorded traffic again, byte by byte and in turn, without a service", async () => {
  let asked = 0;
  const service = await startService((response) => response.end(messageAnswer(`Answer ${++asked}.`)));
  const proxy = await startTestProxy(service.url, {});
  const recording = await startTestProxy(service.url, { record: join(proxy.folder, "recorded") });
  const first = await ask(recording.url, "one");
  const second = await ask(recording.url, "one");
  const other = await ask(recording.url, "two");
  await recording.settled();
  expect(proxy.written()).not.toContain("secret");

  const replay = await serve({ faces: [createReplay({ folder: join(proxy.folder, "recorded") })] });
  onTestFinished(() => replay.close());
  expect(await ask(replay.url, "two")).toEqual(other);
  expect([await ask(replay.url, "one"), await ask(replay.url, "one"), await ask(replay.url, "one")]).toEqual([
    first,
    second,
    second,
  ]);
  expect((await ask(replay.url, "three")).status).toBe(404);
  expect(service.received).toHaveLength(3);
});
