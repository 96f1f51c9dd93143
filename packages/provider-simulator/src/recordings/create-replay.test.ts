import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAnthropic } from "../anthropic/anthropic.ts";
import { fetchInProcess } from "../fetch-in-process.ts";
import { serve } from "../server.ts";
import { createReplay } from "./create-replay.ts";
import type { RecordedExchange } from "./recorded-exchange.ts";

const request = (content: string): string =>
  JSON.stringify({ model: "claude-opus-5-5", max_tokens: 50, messages: [{ role: "user", content }] });

function record(...exchanges: Partial<RecordedExchange>[]): string {
  const folder = mkdtempSync(join(tmpdir(), "simulator-replay-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [index, fields] of exchanges.entries()) {
    const exchange: RecordedExchange = {
      recording: 1,
      upstream: "anthropic",
      method: "POST",
      path: "/v1/messages",
      request: { text: request("Hi") },
      status: 200,
      responseHeaders: { "content-type": "text/plain", "content-length": "7", "request-id": "req_1" },
      response: { text: "event 1" },
      ended: "whole",
      ...fields,
    };
    writeFileSync(join(folder, `${index}.json`), JSON.stringify(exchange));
  }
  writeFileSync(join(folder, "notes.txt"), "not a recording");
  return folder;
}

async function open(folder: string) {
  const server = await serve({ faces: [createReplay({ folder }), createAnthropic()] });
  onTestFinished(() => server.close());
  const ask = (body: string, path = "/v1/messages"): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      body,
      headers: { "x-api-key": "k", "anthropic-version": "2026-10-21" },
    });
  return { server, ask };
}

test("what was recorded is answered as it was, in turn; the rest is simulated", async () => {
  const bytes = Buffer.from([0, 255, 1]).toString("base64");
  const { server, ask } = await open(record({}, { response: { base64: bytes }, status: 529 }));
  const first = await ask(request("Hi"));
  expect([first.status, first.headers.get("request-id"), await first.text()]).toEqual([200, "req_1", "event 1"]);
  const second = await ask(request("Hi"));
  expect([second.status, Buffer.from(await second.arrayBuffer()).toString("base64")]).toEqual([529, bytes]);
  expect((await ask(request("Hi"))).status).toBe(529);
  expect((await ask(request("Hi"), "/anthropic/v1/messages")).status).toBe(529);
  expect(await (await ask(request("Other"))).text()).toContain("You said: Other");
  expect(server.recorder.exchanges.map(({ outcome, response }) => [outcome.kind, response.kind])).toEqual([
    ["free", "bytes"],
    ["refused", "bytes"],
    ["refused", "bytes"],
    ["refused", "bytes"],
    ["answered", "json"],
  ]);
});

test("a body that is no text is found by its bytes", async () => {
  const bytes = Buffer.from([31, 139, 8, 255]);
  const { server } = await open(record({ request: { base64: bytes.toString("base64") } }));
  const sent = await fetch(`${server.url}/v1/messages`, { method: "POST", body: bytes });
  expect(await sent.text()).toBe("event 1");
});

test("a key in the query is not part of the request, and a connection that broke breaks again", async () => {
  const folder = record({ path: "/v1/messages?key=left-out&alt=sse" }, { request: { text: "cut" }, ended: "cut" });
  const { ask } = await open(folder);
  expect(await (await ask(request("Hi"), "/v1/messages?key=secret&alt=sse")).text()).toBe("event 1");
  await expect(ask("cut").then((response) => response.text())).rejects.toThrow();
  const inProcess = fetchInProcess({ face: createReplay({ folder }) });
  const send = (body: string, query: string) => inProcess(`http://s/v1/messages${query}`, { method: "POST", body });
  expect(await (await send(request("Hi"), "?key=other&alt=sse")).text()).toBe("event 1");
  await expect(send("cut", "").then((response) => response.text())).rejects.toThrow("terminated");
  expect(() => createReplay({ folder: join(folder, "missing") })).toThrow("ENOENT");
});

test("a folder without recordings, or with a broken one, is refused with its name", () => {
  const empty = record();
  expect(() => createReplay({ folder: empty })).toThrow(`${empty} has no recordings`);
  const broken = record({});
  writeFileSync(join(broken, "half.json"), '{"recording":');
  expect(() => createReplay({ folder: broken })).toThrow(/Cannot read the recording .*half\.json: .*Record it again/);
});
