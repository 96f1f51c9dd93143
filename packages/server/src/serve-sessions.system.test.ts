import { setTimeout as sleep } from "node:timers/promises";
import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { tool } from "palimpsest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionHost, TenantSessions } from "./host/session-host.ts";
import { type SessionServer, serveSessions } from "./serve-sessions.ts";
import { type OpenApiDocument, type ReplyChecker, replyChecker } from "./testing/check-reply.ts";
import { PLACES, POISON, startFleet, type TestFleet } from "./testing/start-fleet.ts";
import { createToken, SCOPES, type Scope, type StoredToken, type TokenDraft } from "./tokens/token.ts";

const refund = tool({
  name: "refund",
  description: "Pays money back.",
  inputSchema: { type: "object", properties: { usd: { type: "number" } }, required: ["usd"] },
  execute: () => "paid",
});
/** Ends when the test says so, or when it is stopped. */
const dig = tool({
  name: "dig",
  description: "Takes long.",
  inputSchema: { type: "object", properties: {} },
  execute: (_, { signal }) =>
    Promise.race([
      digging.promise,
      new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
    ]),
});
let digging = Promise.withResolvers<string>();

function script({ userText, toolResults }: Ask): Reply {
  if (toolResults.length > 0) return answer(`It says: ${toolResults[0]!.text}.`);
  if (userText.includes("Dig")) return callTools(callTool("dig", {}));
  return userText.includes("Refund")
    ? callTools(callTool("refund", { usd: 5 }))
    : answer("Hello there, dear customer.");
}

const stored = new Map<string, StoredToken>();
const tokens = { find: async (_: string, id: string) => stored.get(id) };
function tokenOf(draft: Partial<TokenDraft> = {}): string {
  const { text, stored: token } = createToken({ tenant: "shop", name: "Ada", scopes: SCOPES, ...draft });
  stored.set(token.id, token);
  return text;
}

const ADA = tokenOf();

describe.each(PLACES)("over %s", (place) => {
  const hanging = Promise.withResolvers<never>();
  let hangs = 0;
  const hang = (): Promise<never> => {
    hangs++;
    return hanging.promise;
  };
  const HANGING = {
    store: { openReader: hang, list: hang },
    dispatch: { approvals: { pending: hang } },
  } as unknown as TenantSessions;

  let fleet: TestFleet;
  let host: SessionHost;
  let server: SessionServer;
  let checker: ReplyChecker;
  const errors: unknown[] = [];

  beforeAll(async () => {
    const permission = async ({ call }: { call: { name: string } }) =>
      call.name === "refund" ? ({ kind: "later", reason: "money leaves" } as const) : ({ kind: "allow" } as const);
    fleet = await startFleet(place, { tenants: ["shop", "other"], script, tools: [refund, dig], permission });
    host = {
      tenant: (name) => (name === "hanging" ? HANGING : fleet.tenant(name)),
      health: async () => ({ state: "ready", problems: [] }),
    };
    server = await serveSessions({
      host,
      tokens,
      onError: (error) => errors.push(error),
      limits: { maxBodyBytes: 100_000, requestsPerMinute: 100_000 },
    });
    checker = replyChecker((await (await fetch(`${server.url}/v1/openapi.json`)).json()) as OpenApiDocument);
  });
  afterAll(async () => {
    await server.close({ graceMs: 1_000 });
    await fleet.close();
  });

  interface Sent {
    readonly token?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly url?: string;
  }

  async function call(method: string, path: string, { token = ADA, body, headers = {}, url = server.url }: Sent = {}) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      // biome-ignore lint/suspicious/noExplicitAny: replies are held against their schemas.
      body: (await checker.check(method, path, response)) as any,
    };
  }

  const say = (session: string, content: unknown, key: string = crypto.randomUUID()) =>
    call("POST", `/v1/sessions/${session}/messages`, { body: { content }, headers: { "idempotency-key": key } });

  async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(10);
    }
  }
  const question = (session: string) =>
    until(async () => (await call("GET", `/v1/questions?session=${session}`)).body.questions[0]);
  const isDone = (session: string, text: string) =>
    until(async () =>
      JSON.stringify((await call("GET", `/v1/sessions/${session}/messages`)).body).includes(text) ? true : undefined,
    );
  const isFree = (session: string) =>
    until(async () => ((await call("GET", `/v1/sessions/${session}`)).body.state === "idle" ? true : undefined));

  test("a session is created, answers, and is listed, described, exported and deleted", async () => {
    const created = await call("POST", "/v1/sessions", { body: { id: "one", metadata: { title: "First" } } });
    expect(created).toMatchObject({ status: 201, body: { id: "one", metadata: { title: "First" } } });
    expect(created.headers.get("location")).toBe("/v1/sessions/one");
    expect(await call("POST", "/v1/sessions", { body: { id: "one" } })).toMatchObject({
      status: 409,
      body: { code: "session-exists" },
    });
    expect(await call("POST", "/v1/sessions", { body: { id: "../one" } })).toMatchObject({ status: 400 });
    expect(await call("POST", "/v1/sessions", { body: { metadata: { big: "x".repeat(20_000) } } })).toMatchObject({
      status: 422,
    });
    expect((await call("POST", "/v1/sessions")).status).toBe(201);

    expect(await say("one", "Hello.", "k1")).toMatchObject({ status: 202, body: { state: "accepted" } });
    expect(await say("one", "Hello.", "k1")).toMatchObject({ status: 202, body: { state: "known" } });
    expect(await say("one", "Something else.", "k1")).toMatchObject({ status: 409, body: { code: "key-used" } });
    const headers = { "idempotency-key": "k1" };
    expect((await call("POST", "/v1/sessions/one/cancel", { headers })).status).toBe(409);
    expect(await call("POST", "/v1/sessions/one/messages", { body: { content: "x" } })).toMatchObject({
      status: 400,
      body: { problems: ["The header idempotency-key is missing"] },
    });
    await isDone("one", "dear customer");
    await isFree("one");
    const { body: page } = await call("GET", "/v1/sessions/one/messages?limit=1");
    expect(page).toMatchObject({ messages: [{ role: "assistant" }], earlier: expect.any(Number) });

    expect((await call("GET", "/v1/sessions?limit=1")).body).toMatchObject({
      sessions: [expect.anything()],
      next: expect.any(String),
    });
    expect((await call("PUT", "/v1/sessions/one/metadata", { body: { title: "Second" } })).status).toBe(204);
    expect((await call("PUT", "/v1/sessions/one/metadata", { body: { title: "x".repeat(20_000) } })).status).toBe(422);
    expect((await call("GET", "/v1/sessions/one")).body).toMatchObject({
      state: "idle",
      metadata: { title: "Second" },
      questions: 0,
    });
    expect((await call("GET", "/v1/sessions/one/context")).body.size.tokens).toBeGreaterThan(0);
    expect((await call("GET", "/v1/sessions/one/cost")).body.responses).toBe(1);
    const { body: lines } = await call("GET", "/v1/sessions/one/export");
    const { entries } = (await call("GET", "/v1/sessions/one")).body;
    expect(lines).toHaveLength(entries);

    // Of another tenant nothing is seen.
    const other = tokenOf({ tenant: "other" });
    expect((await call("GET", "/v1/sessions/one", { token: other })).status).toBe(404);

    expect(await call("POST", "/v1/sessions/one/fork", { body: { id: "one-fork" } })).toMatchObject({ status: 201 });
    expect((await call("POST", "/v1/sessions/one/fork", { body: { id: "one-fork" } })).status).toBe(409);
    expect((await call("POST", "/v1/sessions/one/fork", { body: { at: 9_999 } })).status).toBe(422);
    expect(await call("DELETE", "/v1/sessions/one")).toMatchObject({
      status: 409,
      body: { code: "session-cited", forks: ["one-fork"] },
    });
    await isDone("one-fork", "dear customer");
    expect((await call("POST", "/v1/sessions/one/rewind", { body: { to: entries - 1 } })).body.entries).toBeGreaterThan(
      entries,
    );
    expect((await call("POST", "/v1/sessions/one/rewind", { body: { to: 9_999 } })).status).toBe(422);
    expect((await call("POST", "/v1/sessions/one/compact")).body.kind).toMatch(/compacted|nothing/);
    expect((await call("DELETE", "/v1/sessions/one-fork")).status).toBe(204);
    expect((await call("DELETE", "/v1/sessions/one")).status).toBe(204);
  });

  test("a question waits for its answer, and the first answer counts", async () => {
    await call("POST", "/v1/sessions", { body: { id: "money" } });
    await say("money", "Refund me.");
    const asked = await question("money");
    expect(asked).toMatchObject({ tool: "refund", input: { usd: 5 }, reason: "money leaves" });
    const path = `/v1/sessions/money/questions/${encodeURIComponent(asked.callId)}/answer`;
    expect(await call("PUT", path, { body: { decision: "perhaps" } })).toMatchObject({ status: 400 });
    expect((await call("PUT", path, { body: { decision: "allow" } })).body).toEqual({ decision: "allow", by: "Ada" });
    expect((await call("PUT", path, { body: { decision: "allow" } })).status).toBe(200);
    expect(await call("PUT", path, { body: { decision: "deny" } })).toMatchObject({
      status: 409,
      body: { code: "answered-before" },
    });
    await isDone("money", "It says: paid");

    const approvals = fleet.dispatchOf("shop").approvals;
    await approvals.ask({ sessionId: "money", callId: "late", tool: "refund", input: {}, expiresAtMs: Date.now() - 1 });
    const late = await call("PUT", "/v1/sessions/money/questions/late/answer", { body: { decision: "allow" } });
    expect(late).toMatchObject({ status: 410, body: { code: "question-expired" } });
    expect(
      (await call("PUT", "/v1/sessions/money/questions/none/answer", { body: { decision: "allow" } })).status,
    ).toBe(404);
  });

  test("a turn that runs is in nobody's way to read, refuses changes, and can be canceled", async () => {
    await call("POST", "/v1/sessions", { body: { id: "busy" } });
    expect((await call("POST", "/v1/sessions/busy/cancel")).body).toEqual({ state: "accepted", session: "woken" });
    digging = Promise.withResolvers();
    await say("busy", "Dig.");
    await isDone("busy", "tool_call");
    expect((await call("GET", "/v1/sessions/busy")).body.state).toBe("running");
    for (const [operation, body] of [
      ["rewind", { to: 1 }],
      ["fork", {}],
      ["compact", {}],
    ] as const) {
      const refused = await call("POST", `/v1/sessions/busy/${operation}`, { body });
      expect(refused).toMatchObject({ status: 409, body: { code: "session-busy" } });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await call("DELETE", "/v1/sessions/busy")).status).toBe(409);
    expect((await call("POST", "/v1/sessions/busy/cancel", { body: { reason: "enough" } })).status).toBe(202);
    await isFree("busy");
  });

  test("a session that fails whenever it runs is told to be set aside, and can be resumed", async () => {
    await call("POST", "/v1/sessions", { body: { id: POISON } });
    await say(POISON, "Hello.");
    const { schedule } = fleet.dispatchOf("shop");
    await until(async () => ((await schedule.listSetAside()).sessions.length > 0 ? true : undefined));
    expect((await say(POISON, "Hello?")).body).toMatchObject({
      state: "accepted",
      session: "set-aside",
      advice: expect.stringContaining("/resume"),
    });
    const setAsideAtMs = async () => (await schedule.listSetAside()).sessions[0]?.setAsideAtMs ?? 0;
    const before = await setAsideAtMs();
    expect((await call("POST", `/v1/sessions/${POISON}/resume`)).status).toBe(204);
    // It runs again, and fails again.
    await until(async () => ((await setAsideAtMs()) > before ? true : undefined));

    // What was said to it and never answered goes with it: it does not begin anew, also if it is woken.
    expect((await call("DELETE", `/v1/sessions/${POISON}`)).status).toBe(204);
    expect(await schedule.wake(POISON)).toBe("woken");
    await call("POST", "/v1/sessions", { body: { id: "after" } });
    await say("after", "Hello.");
    await isDone("after", "dear customer");
    expect((await call("GET", `/v1/sessions/${POISON}`)).status).toBe(404);
    expect((await schedule.listSetAside()).sessions).toEqual([]);
  });

  test("a session that waits for a person can be deleted, and its question is gone", async () => {
    await call("POST", "/v1/sessions", { body: { id: "waits" } });
    await say("waits", "Refund me.");
    const { callId } = await question("waits");
    const path = `/v1/sessions/waits/questions/${encodeURIComponent(callId)}/answer`;
    await until(async () => ((await call("GET", "/v1/sessions/waits")).body.state === "waiting" ? true : undefined));
    expect((await call("DELETE", "/v1/sessions/waits")).status).toBe(204);
    expect((await call("GET", "/v1/questions?session=waits")).body.questions).toEqual([]);
    expect((await call("PUT", path, { body: { decision: "allow" } })).status).toBe(404);
  });

  test("every operation tells who may not, what is wrong, and what failed", async () => {
    const limited = tokenOf({ requestsPerMinute: 1 });
    /** The limit is of a minute, which may pass before everything has been tried. */
    const exhaust = async () => {
      const headers = { authorization: `Bearer ${limited}` };
      while ((await fetch(`${server.url}/v1/sessions`, { headers })).status !== 429);
    };
    const broken = tokenOf({ tenant: "absent" });
    const patient = tokenOf({ tenant: "hanging" });
    const slow = await serveSessions({ host, tokens, limits: { operationTimeoutMs: 200, maxBodyBytes: 1_000 } });
    const headers = { "idempotency-key": "k" };
    const BODIES: Readonly<Record<string, unknown>> = {
      say: { content: "x" },
      setMetadata: {},
      rewindSession: { to: 1 },
      answerQuestion: { decision: "allow" },
    };
    for (const { method, path: template, operation } of checker.operations) {
      const path = template.replace("{session}", "absent").replace("{question}", "q");
      const hasBody = "requestBody" in operation;
      const body = hasBody ? (BODIES[operation.operationId] ?? {}) : undefined;
      const sent = { headers, ...(body === undefined ? {} : { body }) };
      const status = async (token: string, url = server.url) =>
        (await call(method, path, { ...sent, token, url })).status;
      expect(await status("pal_nothing")).toBe(401);
      expect(await status(ADA.slice(0, -1) + (ADA.endsWith("A") ? "B" : "A"))).toBe(401);
      expect(await status(tokenOf({ expiresAtMs: 1 }))).toBe(401);
      const scope = /scope (\S+)\./.exec((operation as unknown as { description: string }).description)![1] as Scope;
      expect(await status(tokenOf({ scopes: SCOPES.filter((one) => one !== scope) }))).toBe(403);
      await exhaust();
      expect(await status(limited)).toBe(429);
      expect(await status(broken)).toBe(500);
      expect(await status(patient, slow.url)).toBe(504);
      expect((await call(method, `${path}?nonsense=1`, sent)).status).toBe(400);
      if (template.includes("{session}")) expect(await status(ADA)).toBe(404);
      if (!hasBody) continue;
      expect((await call(method, path, { ...sent, body: "{" })).status).toBe(400);
      expect((await call(method, path, { ...sent, body: "x".repeat(2_000), url: slow.url })).status).toBe(413);
      expect(
        (await call(method, path, { ...sent, body: "{}", headers: { ...headers, "content-type": "text/plain" } }))
          .status,
      ).toBe(415);
    }
    expect(errors.length).toBe(checker.operations.length);

    // While one request is still running, others are refused.
    const hung = hangs;
    const held = fetch(`${server.url}/v1/sessions`, { headers: { authorization: `Bearer ${patient}` } });
    await until(async () => (hangs > hung ? true : undefined));
    const before = server;
    server = await serveSessions({ host, tokens, limits: { requestsPerMinute: 100_000 } });
    const closing = before.close({ graceMs: 100_000 });
    expect((await fetch(`${before.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${before.url}/health/live`)).status).toBe(200);
    for (const { method, path: template } of checker.operations) {
      const path = template.replace("{session}", "absent").replace("{question}", "q");
      expect((await call(method, path, { url: before.url })).status).toBe(503);
    }
    hanging.reject(new Error("at last"));
    expect((await held).status).toBe(500);
    await slow.close();
    await closing;
  });

  test("a stream is documented, and the number of streams is limited", async () => {
    await call("POST", "/v1/sessions", { body: { id: "watched" } });
    const small = await serveSessions({ host, tokens, limits: { maxStreamsPerToken: 1 } });
    const end = new AbortController();
    const headers = { authorization: `Bearer ${ADA}` };
    const first = await fetch(`${small.url}/v1/sessions/watched/events`, { headers, signal: end.signal });
    await checker.check("GET", "/v1/sessions/watched/events", first);
    expect((await call("GET", "/v1/sessions/watched/events", { url: small.url })).body.code).toBe("too-many-streams");
    expect((await call("GET", "/v1/sessions/watched/events?after=x")).status).toBe(400);
    end.abort();
    await until(async () => {
      const again = await fetch(`${small.url}/v1/sessions/watched/events`, { headers });
      await again.body?.cancel();
      return again.status === 200 ? true : undefined;
    });
    await small.close();
  });

  test("every documented status of every operation was seen", () => {
    expect(checker.missing()).toEqual([]);
  });

  test("what is not documented is refused; pages of other origins are, unless they are allowed", async () => {
    const get = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init);
    expect((await get("/v2/sessions")).status).toBe(404);
    const wrong = await get("/v1/sessions", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, GET"]);
    const preflight = { method: "OPTIONS", headers: { origin: "https://desk.example" } };
    const refused = await get("/v1/sessions", preflight);
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([405, null]);
    const open = await serveSessions({ host, tokens, allowedOrigins: ["https://desk.example"] });
    const allowed = await fetch(`${open.url}/v1/sessions`, preflight);
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, "https://desk.example"]);
    const evil = await fetch(`${open.url}/v1/sessions`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    expect([evil.status, evil.headers.get("access-control-allow-origin")]).toEqual([405, null]);
    await open.close();
  });
});
