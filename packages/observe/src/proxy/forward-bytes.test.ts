import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { messageAnswer, messagesBody, user } from "./testing/bodies.ts";
import { startService } from "./testing/start-service.ts";
import { startTestProxy } from "./testing/start-test-proxy.ts";

interface Sent {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Sends raw headers and bytes, as no client library would. */
async function send(
  url: string,
  path: string,
  { method = "POST", headers = [] as string[], body = Buffer.alloc(0) } = {},
): Promise<Sent> {
  const { host, hostname, port } = new URL(url);
  const length = headers.some((name) => /^transfer-encoding$/i.test(name))
    ? []
    : ["Content-Length", String(body.length)];
  const outgoing = requestHttp({
    hostname,
    port,
    path,
    method,
    headers: ["Host", host, ...headers, ...length],
    agent: false,
  });
  outgoing.end(body);
  const [message] = await once(outgoing, "response");
  // After an early answer the connection ends while the request is still written.
  outgoing.on("error", () => {});
  return { status: message.statusCode, rawHeaders: message.rawHeaders, body: await buffer(message) };
}

const OF_CONNECTION = /^(connection|keep-alive|transfer-encoding|host|content-length)$/i;
const others = (raw: readonly string[]): string[] => raw.filter((_, at) => !OF_CONNECTION.test(raw[at - (at % 2)]!));

test("bytes and headers go both ways as they are, whatever they hold", async () => {
  const answer = randomBytes(300_000);
  const service = await startService((response) => {
    response.sendDate = false;
    response.writeHead(203, "As It Is", [
      "X-Case",
      "Kept",
      "Set-Cookie",
      "a=1",
      "Set-Cookie",
      "b=2",
      "x-latin",
      "\u00e9",
    ]);
    response.end(answer);
  });
  const proxy = await startTestProxy(`${service.url}/below`);
  const body = randomBytes(200_000);
  const headers = ["X-Twice", "1", "x-twice", "2", "Authorization", "Bearer sk-secret", "Accept-Encoding", "gzip, br"];
  const sent = await send(proxy.url, "/service/v1/messages?beta=true&x=%2F", { headers, body });
  const [received] = service.received;
  expect(received).toMatchObject({ method: "POST", path: "/below/v1/messages?beta=true&x=%2F" });
  expect(received!.body.equals(body)).toBe(true);
  expect(others(received!.rawHeaders)).toEqual(headers);
  expect(sent.status).toBe(203);
  expect(sent.body.equals(answer)).toBe(true);
  expect(others(sent.rawHeaders)).toEqual([
    "X-Case",
    "Kept",
    "Set-Cookie",
    "a=1",
    "Set-Cookie",
    "b=2",
    "x-latin",
    "\u00e9",
  ]);
});

test("chunked bodies, empty bodies and methods without one go through", async () => {
  const service = await startService((response, { body }) =>
    response.end(createHash("sha256").update(body).digest("hex")),
  );
  const proxy = await startTestProxy(service.url);
  for (const method of ["GET", "DELETE", "PUT"]) {
    expect((await send(proxy.url, "/service/v1/models", { method })).status).toBe(200);
  }
  const body = randomBytes(5_000);
  const chunked = await send(proxy.url, "/service/v1/files", { headers: ["Transfer-Encoding", "chunked"], body });
  expect(String(chunked.body)).toBe(createHash("sha256").update(body).digest("hex"));
});

test("a stream arrives as it is sent, not at its end", async () => {
  let finish = (): void => {};
  const service = await startService((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: ping\ndata: {}\n\n");
    finish = () => response.end("event: message_stop\ndata: {}\n\n");
  });
  const proxy = await startTestProxy(service.url);
  const response = await fetch(`${proxy.url}/service/v1/messages`, { method: "POST", body: messagesBody([user("x")]) });
  const reader = response.body!.getReader();
  const first = await reader.read();
  expect(new TextDecoder().decode(first.value)).toContain("ping");
  finish();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain("message_stop");
});

test("what is packed stays packed, and is still counted", async () => {
  const packed = gzipSync(messageAnswer("Hi."));
  const service = await startService((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed));
  const proxy = await startTestProxy(service.url);
  const sent = await send(proxy.url, "/service/v1/messages", { body: Buffer.from(messagesBody([user("x")])) });
  expect(sent.body.equals(packed)).toBe(true);
  await proxy.settled();
  expect(proxy.eventsOf("response")).toMatchObject([{ freshTokens: 4, outputTokens: 9 }]);
});

test("a service that cannot be reached, breaks off or is silent is told clearly, and never hung on", async () => {
  const nowhere = await startTestProxy("http://127.0.0.1:9");
  const refused = await send(nowhere.url, "/service/v1/messages", { body: randomBytes(3_000_000) });
  expect(refused.status).toBe(502);
  expect(JSON.parse(String(refused.body))).toMatchObject({ type: "error", error: { code: "unreachable" } });
  expect(refused.rawHeaders).toContain("x-palimpsest-proxy");

  const broken = await startService((_, __, incoming) => void incoming.socket.destroy());
  const toBroken = await startTestProxy(broken.url);
  expect((await send(toBroken.url, "/service/v1/messages")).status).toBe(502);

  const silent = await startService(() => {});
  const toSilent = await startTestProxy(silent.url, { limits: { silenceMs: 100 } });
  const timedOut = await send(toSilent.url, "/service/v1/messages");
  expect(timedOut.status).toBe(504);
  expect(String(timedOut.body)).toContain("0.1 s");
});

test("an answer that is cut is cut for the client, too, and after the same bytes", async () => {
  const service = await startService((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n", () => setTimeout(() => response.destroy(), 20));
  });
  const proxy = await startTestProxy(service.url);
  const response = await fetch(`${proxy.url}/service/v1/messages`, { method: "POST", body: messagesBody([user("x")]) });
  let seen = "";
  const reading = async (): Promise<void> => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) seen += chunk;
  };
  await expect(reading()).rejects.toThrow();
  expect(seen).toBe("data: 1\n\n");
});

test("an answer that a service gives before it has read the request reaches the client", async () => {
  const sockets: Socket[] = [];
  const early = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.once("data", () => {
      // It reads no more: the request can never be sent to its end.
      socket.pause();
      socket.write("HTTP/1.1 413 Payload Too Large\r\ncontent-length: 9\r\n\r\ntoo large");
    });
  });
  early.listen(0, "127.0.0.1");
  await once(early, "listening");
  onTestFinished(() => {
    early.close();
    for (const socket of sockets) socket.destroy();
  });
  const proxy = await startTestProxy(`http://127.0.0.1:${(early.address() as AddressInfo).port}`);
  const sent = await send(proxy.url, "/service/v1/messages", { body: randomBytes(20_000_000) });
  expect({ status: sent.status, body: String(sent.body) }).toEqual({ status: 413, body: "too large" });
});

test("a proxy that is closed lets open streams end, and cuts those that take too long", async () => {
  let finish = (): void => {};
  const service = await startService((response) => {
    response.writeHead(200).write("first ");
    finish = () => response.end("last");
  });
  const proxy = await startTestProxy(service.url, { limits: { closeMs: 60_000 } });
  const open = await fetch(`${proxy.url}/service/v1/models`);
  const closing = proxy.close();
  await expect(fetch(`${proxy.url}/service/v1/models`)).rejects.toThrow();
  finish();
  expect(await open.text()).toBe("first last");
  await closing;

  const hasty = await startTestProxy(service.url, { limits: { closeMs: 50 } });
  const cut = await fetch(`${hasty.url}/service/v1/models`);
  await hasty.close();
  await expect(cut.text()).rejects.toThrow();
});

test("a client that goes away ends the request at the service", async () => {
  const ended = Promise.withResolvers<void>();
  const service = await startService((response) => {
    response.writeHead(200).write("x");
    response.once("close", () => ended.resolve());
  });
  const proxy = await startTestProxy(service.url);
  const leaving = new AbortController();
  const response = await fetch(`${proxy.url}/service/v1/messages`, {
    method: "POST",
    body: "{}",
    signal: leaving.signal,
  });
  expect(response.status).toBe(200);
  leaving.abort();
  await ended.promise;
});

test("only listed services, from this machine's programs, by plain HTTP", async () => {
  const service = await startService((response) => response.end("secret"));
  const proxy = await startTestProxy(service.url);
  const body = Buffer.from("{}");
  expect((await send(proxy.url, "/other/v1/messages", { body })).status).toBe(404);
  expect((await send(proxy.url, `${service.url}/v1/messages`, { body })).status).toBe(404);
  for (const headers of [
    ["Origin", "https://page.example"],
    ["Sec-Fetch-Site", "cross-site"],
  ]) {
    const answer = await send(proxy.url, "/service/v1/models", { method: "GET", headers });
    expect(answer.status).toBe(403);
    expect(answer.rawHeaders.map((name) => name.toLowerCase())).not.toContain("access-control-allow-origin");
  }
  const { port } = new URL(proxy.url);
  const rebound = await raw(
    Number(port),
    "GET /service/v1/models HTTP/1.1\r\nHost: page.example\r\nConnection: close\r\n\r\n",
  );
  expect(rebound).toContain("403");
  const tunnel = await raw(Number(port), "CONNECT page.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  expect(tunnel).toContain("405");
  const socket = "GET /service/v1/x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  expect(await raw(Number(port), socket)).toContain("501");
  expect(service.received).toEqual([]);
});

/** What the other end sends until it closes, or is quiet. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let seen = "";
  socket.on("data", (bytes) => {
    seen += String(bytes);
  });
  socket.write(text);
  for (let wait = 0; wait < 200 && seen === ""; wait++) await sleep(20);
  socket.destroy();
  return seen;
}

test.each([
  "http://page.example",
  "ftp://127.0.0.1",
  "nonsense",
  "https://user@page.example",
  "https://page.example?x",
])("%s is no service to forward to", async (address) => {
  await expect(startTestProxy(address)).rejects.toThrow(TypeError);
});
