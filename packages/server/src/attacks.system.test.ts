/** What somebody tries who wants more than the API gives: with a token of their own, or with none. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { type Permission, tool } from "palimpsest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionServer, serveSessions } from "./serve-sessions.ts";
import type { ServerLimits, ServeSessionsOptions } from "./server-options.ts";
import { PLACES, startFleet, type TestFleet } from "./testing/start-fleet.ts";
import { createToken, SCOPES, type StoredToken } from "./tokens/token.ts";

const stored = new Map<string, StoredToken>();
let looks = 0;
const tokens = {
  async find(tenant: string, id: string) {
    looks++;
    const found = stored.get(id);
    return found?.tenant === tenant ? found : undefined;
  },
};
function tokenOf(tenant: string): string {
  const { text, stored: token } = createToken({ tenant, name: "Ada", scopes: SCOPES });
  stored.set(token.id, token);
  return text;
}
const [ADA, EVE] = [tokenOf("shop"), tokenOf("other")];
const effects: string[] = [];
const tools = (["pay", "book"] as const).map((name) =>
  tool({
    name,
    description: "Takes effect outside.",
    inputSchema: { type: "object" },
    repeat: name === "pay" ? "never" : "by-key",
    execute(_, { key }) {
      effects.push(key);
      return "done";
    },
  }),
);
const permission: Permission = async () => ({ kind: "later" });
const script: Script = ({ userText, toolResults }) => {
  const name = /Please (\w+)/.exec(userText)?.[1];
  return name === undefined || toolResults.length > 0 ? answer("A secret of the shop.") : callTools(callTool(name, {}));
};
const GENEROUS = { requestsPerMinute: 100_000 };

describe.each(PLACES)("over %s", (place) => {
  let fleet: TestFleet;
  let server: SessionServer;
  const errors: unknown[] = [];
  const started: SessionServer[] = [];

  async function start(limits: Partial<ServerLimits> = {}, more: Partial<ServeSessionsOptions> = {}) {
    const onError = (error: unknown): void => void errors.push(error);
    const one = await serveSessions({ host: fleet, tokens, onError, limits: { ...GENEROUS, ...limits }, ...more });
    started.push(one);
    return one;
  }

  beforeAll(async () => {
    fleet = await startFleet(place, { tenants: ["shop", "other"], script, tools, permission });
    server = await start();
    for (const [token, id] of [
      [ADA, "same"],
      [EVE, "same"],
      [ADA, "shops-own"],
    ] as const)
      expect((await call("POST", "/v1/sessions", { token, body: { id } })).status).toBe(201);
  });
  afterAll(async () => {
    for (const one of started) await one.close({ graceMs: 0 });
    await fleet.close();
    expect(errors).toEqual([]);
  });

  interface Sent {
    readonly token?: string;
    readonly body?: unknown;
    readonly key?: string;
    readonly url?: string;
  }
  const call = (method: string, path: string, { token = ADA, body, key = "k", url = server.url }: Sent = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "idempotency-key": key,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });

  /** Sends bytes as they are, without a library that corrects them. */
  async function dial(url: string, head: readonly string[] = []): Promise<Socket & { received(): string }> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (bytes) => {
      text += String(bytes);
    });
    socket.on("error", () => undefined);
    await once(socket, "connect");
    if (head.length > 0) socket.write(`${head.join("\r\n")}\r\n\r\n`);
    return Object.assign(socket, { received: () => text });
  }
  const closed = (socket: Socket): Promise<unknown> =>
    socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));

  test("of another tenant nothing is read, watched, answered, changed or deleted", async () => {
    await call("POST", "/v1/sessions/same/messages", { body: { content: "Hello." } });
    await call("POST", "/v1/sessions/shops-own/messages", { body: { content: "Hello." } });
    const end = new AbortController();
    const headers = { authorization: `Bearer ${EVE}`, "last-event-id": "0" };
    const watched = await fetch(`${server.url}/v1/sessions/same/events`, { headers, signal: end.signal });
    let seen = "";
    const reading = (async () => {
      for await (const text of watched.body!.pipeThrough(new TextDecoderStream())) seen += text;
    })().catch(() => undefined);
    const { events } = fleet.dispatchOf("shop");
    for (const session of ["same", "shops-own"])
      while (!JSON.stringify(await events.read(session)).includes("run-ended")) await sleep(20);
    await sleep(200);
    end.abort();
    await reading;
    expect(seen).not.toContain("secret");
    expect(seen).not.toContain("event:");
    const own = "/v1/sessions/shops-own";
    for (const [method, path, body] of [
      ["GET", own],
      ["GET", `${own}/messages`],
      ["GET", `${own}/events`],
      ["GET", `${own}/export`],
      ["POST", `${own}/messages`, { content: "x" }],
      ["POST", `${own}/cancel`],
      ["POST", `${own}/rewind`, { to: 1 }],
      ["POST", `${own}/fork`],
      ["PUT", `${own}/metadata`, {}],
      ["PUT", `${own}/questions/q/answer`, { decision: "allow" }],
      ["DELETE", own],
    ] as const)
      expect([method, path, (await call(method, path, { token: EVE, body })).status]).toEqual([method, path, 404]);
    expect(await (await call("GET", "/v1/sessions", { token: EVE })).json()).toEqual({ sessions: [{ id: "same" }] });
    expect(await (await call("GET", "/v1/questions?session=shops-own", { token: EVE })).json()).toEqual({
      questions: [],
    });
  });

  test("names lead out of no folder, and addresses are taken as they are", async () => {
    for (const id of ["..", ".", "../x", "a/b", "a\\b", "/etc/passwd", "a\0b", "", "é", "a b", "x".repeat(129)]) {
      expect([id, (await call("POST", "/v1/sessions", { body: { id } })).status]).toEqual([id, 400]);
      if (id === "") continue;
      const path = `/v1/sessions/${encodeURIComponent(id)}/messages`;
      // Clients remove dots themselves; this one does not.
      const socket = await dial(server.url, [
        `GET ${path} HTTP/1.1`,
        "host: x",
        `authorization: Bearer ${ADA}`,
        "connection: close",
      ]);
      await closed(socket);
      expect([id, socket.received().slice(0, 12)]).toEqual([id, "HTTP/1.1 404"]);
      expect((await call("POST", "/v1/sessions/same/fork", { body: { id } })).status).toBe(400);
    }
    for (const path of ["/x/../v1/sessions", "//x/v1/sessions", "http://x/v1/sessions", "/v1//sessions", "*"]) {
      const socket = await dial(server.url, [`GET ${path} HTTP/1.1`, "host: x", "connection: close"]);
      await closed(socket);
      expect([path, socket.received().slice(0, 12)]).toEqual([path, "HTTP/1.1 404"]);
    }
  });

  test("what no database can keep is refused, and is no failure of the server", async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const list = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const [method, path, body] of [
      ["PUT", "/v1/sessions/same/metadata", deep],
      ["PUT", "/v1/sessions/same/metadata", { title: "a\0b" }],
      ["PUT", "/v1/sessions/same/metadata", { "a\0b": 1 }],
      ["POST", "/v1/sessions", `{"metadata":${deep}}`],
      ["POST", "/v1/sessions/same/messages", `{"content":${list}}`],
      ["POST", "/v1/sessions/same/messages", `{"content":[{"kind":${list}}]}`],
      ["POST", "/v1/sessions/same/messages", { content: "a\0b" }],
      ["POST", "/v1/sessions/same/cancel", { reason: "\0" }],
      ["PUT", "/v1/sessions/same/questions/q/answer", { decision: "deny", reason: "\0" }],
      ["GET", "/v1/sessions?after=%00"],
      ["GET", "/v1/questions?session=%00"],
      ["GET", "/v1/questions?after=x"],
      ["GET", "/v1/questions?after=-1"],
      ["GET", "/v1/questions?constructor=1"],
      ["GET", "/v1/sessions?__proto__=1"],
      ["POST", "/v1/sessions", '{"__proto__":{"id":"x"}}'],
    ] as const) {
      const { status } = await call(method, path, { body });
      expect([method, path, status]).toEqual([method, path, 400]);
    }
    expect((await call("PUT", "/v1/sessions/same/questions/%00/answer", { body: { decision: "deny" } })).status).toBe(
      404,
    );
    expect((await call("GET", "/v1/sessions/same/messages", { token: ADA.replace("c2hvcA", "AAAA") })).status).toBe(
      401,
    );
    // What only looks wrong is kept.
    expect((await call("PUT", "/v1/sessions/same/metadata", { body: { title: "\ud800 '; --" } })).status).toBe(204);
  });

  test("a key belongs to what was first sent with it, and keys of clients are not those of agents", async () => {
    const { inbox } = fleet.dispatchOf("shop");
    const say = (content: string, key: string) =>
      call("POST", "/v1/sessions/same/messages", { body: { content }, key });
    expect((await say("One.", "report agent 1")).status).toBe(202);
    expect((await say("Two.", "report agent 1")).status).toBe(409);
    expect((await say("One.", "report agent 1")).status).toBe(202);
    const report = { kind: "report", agent: "none", outcome: "done", text: "" };
    expect((await inbox.add("same", { key: "report agent 1", payload: report })).kind).toBe("added");
  });

  test("a call that was allowed once does not take place again by a rewind, nor in a fork", async () => {
    for (const [id, name] of [
      ["never", "pay"],
      ["by-key", "book"],
    ] as const) {
      const before = effects.length;
      await call("POST", "/v1/sessions", { body: { id } });
      await call("POST", `/v1/sessions/${id}/messages`, { body: { content: `Please ${name}.` } });
      const { approvals, events, schedule } = fleet.dispatchOf("shop");
      const ends = async (count: number): Promise<void> => {
        while (JSON.stringify(await events.read(id, { limit: 10_000 })).split("run-ended").length <= count)
          await sleep(20);
      };
      await ends(1);
      const [question] = (await approvals.pending({ session: id })).questions;
      const path = `/v1/sessions/${id}/questions/${encodeURIComponent(question!.callId)}/answer`;
      expect((await call("PUT", path, { body: { decision: "allow" } })).status).toBe(200);
      await ends(2);
      const lines = (await (await call("GET", `/v1/sessions/${id}/export`)).text()).trim().split("\n");
      const entries = lines.map((line) => JSON.parse(line) as { sequence: number; payload: { step?: string } });
      const { sequence } = entries.find(({ payload }) => payload.step === "allowed")!;
      expect((await call("POST", `/v1/sessions/${id}/fork`, { body: { at: sequence } })).status).toBe(422);
      expect((await call("POST", `/v1/sessions/${id}/rewind`, { body: { to: sequence } })).status).toBe(200);
      await schedule.wake(id);
      await ends(3);
      // A service that honors keys takes the second one for the first.
      expect([name, new Set(effects.slice(before)).size]).toEqual([name, 1]);
      if (id === "never") expect(effects.slice(before)).toHaveLength(1);
    }
  });

  test("who guesses tokens costs little, and is not in the way of others", async () => {
    const strict = await start({ unprovenPerMinute: 60 });
    const guess = (): string => ADA.slice(0, -8) + Math.random().toString(36).slice(2).padEnd(8, "x").slice(0, 8);
    expect((await call("GET", "/v1/sessions", { url: strict.url })).status).toBe(200);
    looks = 0;
    const statuses = await Promise.all(
      Array.from(
        { length: 60 },
        async () => (await call("GET", "/v1/sessions", { token: guess(), url: strict.url })).status,
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(looks).toBeLessThan(30);
    expect((await call("GET", "/v1/sessions", { url: strict.url })).status).toBe(200);
  });

  test("requests that arrive slowly, or never, and headers that are too large are ended", async () => {
    const hasty = await start({ receiveTimeoutMs: 400 });
    const post = [
      "POST /v1/sessions HTTP/1.1",
      "host: x",
      `authorization: Bearer ${ADA}`,
      "content-type: application/json",
    ];
    const slowBody = await dial(hasty.url, [...post, "content-length: 1000"]);
    const slowChunks = await dial(hasty.url, [...post, "transfer-encoding: chunked"]);
    const slowHead = await dial(hasty.url);
    slowHead.write("GET /v1/sessions HTTP/1.1\r\n");
    const silent = await dial(hasty.url);
    const drip = setInterval(() => {
      slowBody.write(" ");
      slowChunks.write("1\r\n \r\n");
      slowHead.write("x: y\r\n");
    }, 50);
    await Promise.all([slowBody, slowChunks, slowHead, silent].map(closed));
    clearInterval(drip);
    expect(slowBody.received()).toMatch(/^HTTP\/1.1 408|^$/);
    const large = await dial(server.url, ["GET /v1/sessions HTTP/1.1", "host: x", `x: ${"y".repeat(100_000)}`]);
    await closed(large);
    expect(large.received().slice(0, 12)).toBe("HTTP/1.1 431");
    // Two lengths, or two ways to tell the length: whoever stands before the server might see another request in it.
    for (const head of [
      ["content-length: 5", "content-length: 6"],
      ["content-length: 5", "transfer-encoding: chunked"],
      ["transfer-encoding: chunked, identity"],
      ["content-length: -1"],
    ]) {
      const smuggler = await dial(server.url, [...post, ...head]);
      smuggler.write("0\r\n\r\n");
      await closed(smuggler);
      expect([head, smuggler.received().slice(0, 12)]).toEqual([head, "HTTP/1.1 400"]);
    }
  });

  test("no more connections than there may be", async () => {
    const small = await start({ maxConnections: 3 });
    const sockets = await Promise.all(Array.from({ length: 3 }, () => dial(small.url)));
    const fourth = await dial(small.url, ["GET /health/live HTTP/1.1", "host: x"]);
    await closed(fourth);
    expect(fourth.received()).toBe("");
    for (const socket of sockets) socket.destroy();
  });

  test("who reads neither a stream nor a reply is disconnected, and frees its place", async () => {
    const impatient = await start({ heartbeatMs: 100, stallMs: 2_000, maxStreamsPerToken: 1 });
    await call("POST", "/v1/sessions", { body: { id: "loud" } });
    // More than the buffers of two sockets hold.
    const { events } = fleet.dispatchOf("shop");
    for (let count = 0; count < 40; count++)
      await events.publish("loud", [{ kind: "notice", text: "x".repeat(500_000) }]);
    const head = (path: string) => [`GET ${path} HTTP/1.1`, "host: x", `authorization: Bearer ${ADA}`];
    const stalled = await dial(impatient.url, head("/v1/sessions/loud/events"));
    // Its stream has begun, so it has the only place.
    await once(stalled, "data");
    stalled.pause();
    expect((await call("GET", "/v1/sessions/loud/events", { url: impatient.url })).status).toBe(429);
    for (;;) {
      const again = await call("GET", "/v1/sessions/loud/events", { url: impatient.url });
      await again.body?.cancel();
      if (again.status === 200) break;
      await sleep(50);
    }
    stalled.destroy();

    const session = await fleet.tenant("shop").open("loud", fleet.storeOf("shop"), "write");
    // Messages that are not so long that they are kept outside of the log, and together more than the buffers hold.
    await session.append(Array.from({ length: 500 }, () => "x".repeat(40_000)));
    await session.close();
    const deaf = await dial(impatient.url, head("/v1/sessions/loud/export"));
    await once(deaf, "data");
    deaf.pause();
    // It is found out by the server alone: its end would wait for the reader for longer than the test may take.
    await impatient.close({ graceMs: 3_600_000 });
    deaf.destroy();
  });
});
