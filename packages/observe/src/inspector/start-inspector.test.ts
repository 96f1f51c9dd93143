import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import {
  answer,
  callTool,
  callTools,
  createAnthropic,
  fetchInProcess,
  type Reply,
} from "@palimpsest/provider-simulator";
import { memoryStore, openSession, readStream, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { coding, whenCold, whenIdle } from "palimpsest/policy";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { storeSource } from "./sources/store-source.ts";
import { transcriptSource } from "./sources/transcript-source.ts";
import { type Inspector, startInspector } from "./start-inspector.ts";

let inspector: Inspector;
let ask: (text: string) => Promise<void>;
let sent: string[];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-inspector-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  let next: Reply = answer("Done.");
  const fetch = fetchInProcess({ face: createAnthropic({ script: () => next }) });
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: "http://simulator.local", fetch }));
  const store = memoryStore({ leaseMs: 0 });
  const look = { name: "look", inputSchema: { type: "object" } };
  const settings = { compaction: "off" } as const;
  const session = await openSession({ id: "s", store, provider, model: "claude-opus-5-5", tools: [look], settings });
  sent = [];
  async function request(reply: Reply) {
    next = reply;
    const body = await session.prepare();
    sent.push(JSON.stringify(body));
    return session.record(await readStream(provider.send(body)), body);
  }
  ask = async (text) => {
    await session.append(text);
    const { calls } = await request(callTools(callTool("look", { path: "a" })));
    await session.append(toolResult(calls[0]!.id, "alpha <script>alert(1)</script>"));
    await request(answer("It says alpha."));
  };
  await ask("What is in a?");
  await writeFile(join(folder, "t.jsonl"), TRANSCRIPT);
  inspector = await startInspector({
    sources: [
      storeSource({ store, name: "test" }),
      transcriptSource({
        folder: join(folder, "imported"),
        find: async function* () {
          yield { path: join(folder, "t.jsonl") };
        },
      }),
    ],
    providerOf: async (name) => (name === provider.name ? (provider as never) : undefined),
    folder: join(folder, "index"),
    followEveryMs: 10,
  });
  onTestFinished(() => inspector.close());
});

const TRANSCRIPT = [
  {
    type: "user",
    sessionId: "t",
    uuid: "1",
    isSidechain: false,
    parentUuid: null,
    version: "2.1.0",
    cwd: "/tmp",
    timestamp: "2026-01-01T10:00:00Z",
    message: { role: "user", content: "Hello from a transcript" },
  },
  {
    type: "assistant",
    sessionId: "t",
    uuid: "2",
    isSidechain: false,
    parentUuid: "1",
    version: "2.1.0",
    cwd: "/tmp",
    timestamp: "2026-01-01T10:00:01Z",
    requestId: "r1",
    message: {
      id: "m1",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [{ type: "text", text: "Hi." }],
      usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 },
    },
  },
]
  .map((line) => JSON.stringify(line))
  .join("\n");

async function enter(): Promise<string> {
  const token = /#token=([^&]+)/.exec(inspector.entryUrl())![1]!;
  const entered = await fetch(`${inspector.url}/api/enter`, { method: "POST", body: token });
  return entered.headers.getSetCookie()[0]!.split(";")[0]!;
}

async function get(path: string, cookie: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(inspector.url + path, { headers: { cookie, ...headers } });
  return { status: response.status, value: JSON.parse(await response.text()) };
}

/** The address of a session, by its id. */
async function addressOf(id: string, cookie: string): Promise<string> {
  const { value } = await get("/api/sessions", cookie);
  return `/api/sessions/${value.sessions.find((session: { id: string }) => session.id === id).key}`;
}

/** With any Host: `fetch` does not allow to set it. */
function statusWith(headers: Readonly<Record<string, string>>, path = "/api/sessions"): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = send(inspector.url + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    request.on("error", reject).end();
  });
}

test("shows sessions, their timeline, each request as it was sent, and the difference between two", async () => {
  const cookie = await enter();
  const { value } = await get("/api/sessions", cookie);
  expect(value).toMatchObject({ total: 2, unreadable: [] });
  expect(value.sessions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: "s", agent: "palimpsest", title: "What is in a?" }),
      expect.objectContaining({ id: "t", agent: "claude-code", title: "Hello from a transcript" }),
    ]),
  );
  const at = await addressOf("s", cookie);
  expect((await get(at, cookie)).value).toMatchObject({
    fidelity: "recorded",
    model: "claude-opus-5-5",
    totals: { requests: 2, responses: 2 },
    index: { kind: "extended" },
  });
  const { points } = (await get(`${at}/timeline`, cookie)).value;
  expect(points).toMatchObject([{ requests: 1 }, { requests: 1 }]);
  const second = (await get(`${at}/requests/${points[1].entry}`, cookie)).value;
  expect(second).toMatchObject({ erasedSince: [], previous: points[0].entry, characters: sent[1]!.length });
  expect(second.segments.at(-1).to).toBe(sent[1]!.length);
  const body = (await get(`${at}/requests/${points[1].entry}/body`, cookie)).value;
  expect(body.text).toBe(sent[1]);
  const diff = (await get(`${at}/requests/${points[0].entry}/diff/${points[1].entry}`, cookie)).value;
  expect(diff).toMatchObject({ removed: [], changed: [], causes: [] });
  expect((await get(`${at}/search?words=alpha`, cookie)).value.hits[0]).toMatchObject({ request: points[1].entry });
  expect((await get(`${at}/tree`, cookie)).value.tree).toEqual({
    session: "s",
    kind: "root",
    key: at.split("/").at(-1),
    children: [],
  });
  const entry = second.segments.find(({ place }: { place: string }) => place === "tool-result").entry;
  expect((await get(`${at}/entries/${entry}`, cookie)).value.text).toContain("<script>");
  expect((await get(`${at}/requests/1`, cookie)).status).toBe(404);
});

test("a transcript of another program is imported when it is opened, and says that it is reconstructed", async () => {
  const cookie = await enter();
  const at = await addressOf("t", cookie);
  expect((await get(at, cookie)).value).toMatchObject({ fidelity: "reconstructed", totals: { requests: 1 } });
});

test("a page follows a session, and gets what it has missed", async () => {
  const cookie = await enter();
  const at = `${inspector.url}${await addressOf("s", cookie)}/live`;
  async function firstEvent(headers: Readonly<Record<string, string>>) {
    const response = await fetch(at, { headers: { cookie, ...headers } });
    let text = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const found = /id: (\d+)\nevent: grown\ndata: (.*)\n\n/.exec(text);
      if (found !== null) return { id: found[1]!, data: JSON.parse(found[2]!) };
    }
    throw new Error(text);
  }
  const whole = await firstEvent({});
  expect(whole.data.points).toHaveLength(2);
  await ask("And b?");
  const more = await firstEvent({ "last-event-id": whole.id });
  expect(more.data.points.length).toBeGreaterThan(0);
  expect(more.data.points[0].entry).toBeGreaterThan(Number(whole.id));
});

test("only the browser that was let in reads anything, and an address lets in once", async () => {
  expect((await get("/api/sessions", "")).status).toBe(401);
  expect((await get("/api/sessions", `palimpsest-${new URL(inspector.url).port}=guess`)).status).toBe(401);
  const token = /#token=([^&]+)/.exec(inspector.entryUrl())![1]!;
  const post = (body: string) => fetch(`${inspector.url}/api/enter`, { method: "POST", body });
  expect((await post(token)).headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Strict/);
  expect((await post(token)).status).toBe(401);
  expect((await post("x".repeat(5_000))).status).toBe(401);
});

test("an address fits into a terminal of 80 columns, whatever the port is: a broken line cannot be clicked", () => {
  const { port } = new URL(inspector.url);
  const spare = "65535".length - port.length;
  expect(inspector.entryUrl("0123456789abcdef0123").length + spare).toBeLessThan(80);
});

test("requests of other pages and under other names are refused, also with the cookie", async () => {
  const cookie = await enter();
  const { host, port } = new URL(inspector.url);
  expect(await statusWith({ cookie, host })).toBe(200);
  expect(await statusWith({ cookie, host: `localhost:${port}` })).toBe(200);
  for (const wrong of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1.evil.example:${port}`]) {
    expect(await statusWith({ cookie, host: wrong })).toBe(403);
    expect(await statusWith({ host: wrong }, "/")).toBe(403);
  }
  expect(await statusWith({ cookie, host, origin: "http://evil.example" })).toBe(403);
  expect(await statusWith({ cookie, host, origin: "null" })).toBe(403);
  expect(await statusWith({ cookie, host, "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await statusWith({ cookie, host, "sec-fetch-site": "same-site" })).toBe(403);
  expect(await statusWith({ cookie, host, "sec-fetch-site": "same-origin" })).toBe(200);
});

test("every answer forbids scripts of others and frames; nothing can be changed", async () => {
  for (const path of ["/", "/nothing", "/api/sessions"]) {
    const response = await fetch(inspector.url + path);
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  }
  const cookie = await enter();
  const removed = await fetch(`${inspector.url}/api/sessions`, { method: "DELETE", headers: { cookie } });
  expect(removed.status).toBe(405);
});

test("lists decisions about the window, and explains each with its rule, reason and figures", async () => {
  const store = memoryStore({ leaseMs: 0 });
  let next: Reply = answer("Done.");
  const inProcess = fetchInProcess({ face: createAnthropic({ script: () => next }) });
  const client = new Anthropic({ apiKey: "none", baseURL: "http://simulator.local", fetch: inProcess });
  const provider = anthropic(client);
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  const clear = [whenIdle({ minutes: 0, keepNewest: 1 }), whenCold({ keepNewest: 1 })];
  const policy = { ...coding(), clear };
  const session = await openSession({ id: "s", store, provider, model: "claude-sonnet-4-6", tools, policy });
  await session.append("Look twice.");
  for (const path of ["a", "b", "c"]) {
    next = callTools(callTool("look", { path }));
    const body = await session.prepare();
    const { calls } = await session.record(await readStream(provider.send(body)), body);
    await session.append(toolResult(calls[0]!.id, `A word about ${path}. `.repeat(200)));
  }
  await session.prepare();
  inspector = await startInspector({
    sources: [storeSource({ store, name: "decided" })],
    providerOf: async () => undefined,
    folder: join(folder, "decided"),
    followEveryMs: 10,
  });
  onTestFinished(() => inspector.close());
  const cookie = await enter();
  const at = await addressOf("s", cookie);
  // Opening a session builds its index.
  await get(at, cookie);
  const { events } = (await get(`${at}/events?kind=decision`, cookie)).value;
  expect(events.length).toBeGreaterThan(0);
  expect(events[0].text).toMatch(/^when-idle is requested: 0 minutes without a request; 1 result/);
  const { text } = (await get(`${at}/entries/${events[0].entry}`, cookie)).value;
  expect(text).toMatch(/^Old results are cleared, by the rule when-idle \(requested\)\.\nWhy: when-idle is requested/);
  expect(text).toMatch(/Tokens: [\d,]+ before, [\d,]+ after\.\nCosts -?\$/);
});
