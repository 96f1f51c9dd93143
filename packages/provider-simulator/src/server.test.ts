import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { manualClock } from "./clock.ts";
import type { HttpCall, HttpReply, ServerSentEvent } from "./http-face.ts";
import { type SimulatorServer, serve } from "./server.ts";

let server: SimulatorServer;
afterEach(() => server.close());

const free = { kind: "free" } as const;
const events: ServerSentEvent[] = [{ event: "one", data: "1" }, { data: "2" }, { event: "three", data: "3" }];
const stream = (fault?: Extract<HttpReply, { kind: "stream" }>["fault"]): HttpReply => ({
  kind: "stream",
  headers: {},
  events,
  begun: () => {},
  outcome: free,
  ...(fault === undefined ? {} : { fault }),
});

async function serveReply(reply: (call: HttpCall) => HttpReply | undefined): Promise<string> {
  server = await serve({ clock: manualClock(7), faces: [{ handle: () => undefined }, { handle: reply }] });
  return server.url;
}

test("the first face that knows a call answers it; the call is recorded byte for byte", async () => {
  const url = await serveReply(() => ({
    kind: "json",
    status: 418,
    headers: { "x-a": "b" },
    body: { tea: true },
    outcome: free,
  }));
  const response = await fetch(`${url}/pot?size=2`, {
    method: "POST",
    body: '{ "milk":  "ü" }',
    headers: { "X-Key": "k" },
  });
  expect([response.status, response.headers.get("x-a"), await response.json()]).toEqual([418, "b", { tea: true }]);
  expect(server.recorder.last?.bytes).toEqual(Buffer.from('{ "milk":  "ü" }'));
  expect(server.recorder.last).toMatchObject({
    index: 0,
    method: "POST",
    response: { kind: "json", status: 418, body: { tea: true } },
    atMs: 7,
    path: "/pot",
    body: '{ "milk":  "ü" }',
    headers: { "x-key": "k" },
  });
});

test("whoever watches is told of every exchange", async () => {
  const seen: string[] = [];
  const reply: HttpReply = { kind: "json", status: 200, headers: {}, body: {}, outcome: free };
  server = await serve({ faces: [{ handle: () => reply }], watch: ({ index, path }) => seen.push(`${index} ${path}`) });
  await fetch(`${server.url}/one`);
  await fetch(`${server.url}/two`);
  expect(seen).toEqual(["0 /one", "1 /two"]);
});

test("a call that no face knows is refused and says so", async () => {
  const url = await serveReply(() => undefined);
  const response = await fetch(`${url}/nowhere`);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("GET /nowhere");
  expect(server.recorder.total()).toMatchObject({ answered: 0, refused: 1 });
});

test("a stream carries its events in order", async () => {
  const url = await serveReply(() => stream());
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(await response.text()).toBe("event: one\ndata: 1\n\ndata: 2\n\nevent: three\ndata: 3\n\n");
});

test("a stream can be cut cleanly, be reset, or stall", async () => {
  let fault: Extract<HttpReply, { kind: "stream" }>["fault"] = { kind: "stream-cut", afterEvents: 2, how: "closed" };
  const url = await serveReply(() => stream(fault));
  expect(await (await fetch(url)).text()).toBe("event: one\ndata: 1\n\ndata: 2\n\n");
  fault = { kind: "stream-cut", afterEvents: 1, how: "reset" };
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  fault = { kind: "stream-stall", afterEvents: 1, forMs: 50 };
  expect(await (await fetch(url)).text()).toContain("data: 3");
  fault = { kind: "stream-stall", afterEvents: 1, forMs: 3_600_000 };
  const leave = new AbortController();
  const stalled = await fetch(url, { signal: leave.signal });
  let received = "";
  const reading = (async () => {
    for await (const text of stalled.body!.pipeThrough(new TextDecoderStream())) received += text;
  })();
  fault = undefined;
  for (let others = 0; others < 20; others++) await (await fetch(url)).text();
  await expect.poll(() => received).toBe("event: one\ndata: 1\n\n");
  leave.abort();
  await expect(reading).rejects.toThrow();
});

test("a connection can be reset before an answer", async () => {
  const url = await serveReply(() => ({ kind: "reset", outcome: free }));
  await expect(fetch(url)).rejects.toThrow();
});

test("a bug in a face or in a script is not taken for the provider's answer, and is recorded as what it is", async () => {
  const url = await serveReply(() => {
    throw new Error("a bug");
  });
  const response = await fetch(url);
  expect([response.status, response.headers.get("x-should-retry")]).toEqual([500, "false"]);
  expect(await response.text()).toContain("The simulator itself failed: Error: a bug");
  expect(server.recorder.last?.outcome).toMatchObject({ kind: "broken", message: expect.stringContaining("a bug") });
});

/** Answers `/json` at once, and all else with a stream that begins later; notes in which order it is asked and begins to answer. */
function noteOrder({ stallMs }: { readonly stallMs: number }) {
  const order: string[] = [];
  const begun = (): void => void order.push("begun");
  const handle = ({ path }: HttpCall): HttpReply => {
    order.push(`asked ${path}`);
    if (path === "/json") return { kind: "json", status: 200, headers: {}, body: {}, begun, outcome: free };
    return { ...stream({ kind: "stream-stall", afterEvents: 0, forMs: stallMs }), begun } as HttpReply;
  };
  return { order, faces: [{ handle }] };
}

test.each(["/json", "/stream"])("an answer has begun when its first byte has left, not before: %s", async (path) => {
  const soon = noteOrder({ stallMs: 20 });
  server = await serve({ firstByteAfterMs: 20, faces: soon.faces });
  await (await fetch(`${server.url}${path}`)).text();
  expect(soon.order).toEqual([`asked ${path}`, "begun"]);
  await server.close();

  const late = noteOrder({ stallMs: 3_600_000 });
  server = await serve({ firstByteAfterMs: path === "/json" ? 3_600_000 : 0, faces: late.faces });
  const answered = expect(fetch(`${server.url}${path}`).then((response) => response.text())).rejects.toThrow();
  await expect.poll(() => late.order).toEqual([`asked ${path}`]);
  // Another server answers many meanwhile.
  const other = await serve({ faces: [{ handle: () => stream() }] });
  onTestFinished(() => other.close());
  for (let others = 0; others < 20; others++) await (await fetch(other.url)).text();
  expect(late.order).toEqual([`asked ${path}`]);
  await server.close();
  await answered;
});

test("an idle connection is kept for ten minutes: one that closes as its next request comes looks like a fault", async () => {
  const url = await serveReply(() => ({ kind: "json", status: 200, headers: {}, body: {}, outcome: free }));
  const response = await fetch(url);
  expect(response.headers.get("keep-alive")).toBe("timeout=600");
  await response.body?.cancel();
});

test("a server that is closed waits for nobody", async () => {
  const url = await serveReply(() => stream({ kind: "stream-stall", afterEvents: 1, forMs: 3_600_000 }));
  const response = fetch(url).then((answer) => answer.text());
  await expect.poll(() => server.recorder.exchanges.length).toBe(1);
  await server.close();
  await expect(response).rejects.toThrow();
  server = await serve({ faces: [] });
});

test("a client that leaves in the middle of its request, or asks for an address that is none, ends nothing", async () => {
  const url = await serveReply(() => ({ kind: "json", status: 200, headers: {}, body: {}, outcome: free }));
  const { port } = new URL(url);
  const say = async (text: string) => {
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(text);
    return socket;
  };
  const leaving = await say("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nonly so much");
  leaving.resetAndDestroy();
  const lost = await say("GET // HTTP/1.1\r\nhost: a\r\n\r\n");
  const [answer] = (await once(lost, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 500 .*simulator itself failed/s);
  lost.destroy();
  expect((await fetch(url)).status).toBe(200);
});

test("a reply that cannot be sent is told, and ends nothing", async () => {
  const url = await serveReply(({ path }) => ({
    kind: "json",
    status: path === "/odd" ? 9 : 200,
    headers: {},
    body: {},
    outcome: free,
  }));
  const response = await fetch(`${url}/odd`);
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("Invalid status code")]);
  expect((await fetch(url)).status).toBe(200);
});
