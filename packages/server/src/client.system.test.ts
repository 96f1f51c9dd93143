import { ApiError, createClient, type WatchedEvent } from "@palimpsest/client";
import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { tool } from "palimpsest";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionServer, serveSessions } from "./serve-sessions.ts";
import { PLACES, startFleet, type TestFleet } from "./testing/start-fleet.ts";
import { createToken, SCOPES, type StoredToken } from "./tokens/token.ts";

const refund = tool({
  name: "refund",
  description: "Pays money back.",
  inputSchema: { type: "object", properties: { usd: { type: "number" } }, required: ["usd"] },
  execute: () => "paid",
});

function script({ userText, toolResults }: Ask): Reply {
  if (toolResults.length > 0) return answer("The money is on its way.");
  return userText.includes("Refund")
    ? callTools(callTool("refund", { usd: 5 }))
    : answer("One two three four five six seven.");
}

const { text: token, stored } = createToken({ tenant: "shop", name: "Ada", scopes: SCOPES });
const valid = new Map<string, StoredToken>([[stored.id, stored]]);
const tokens = { find: async (_: string, id: string) => valid.get(id) };
describe.each(PLACES)("over %s", (place) => {
  let fleet: TestFleet;
  let server: SessionServer;
  const limits = { requestsPerMinute: 100_000, heartbeatMs: 20 };

  beforeAll(async () => {
    fleet = await startFleet(place, {
      tenants: ["shop"],
      script,
      tools: [refund],
      permission: async () => ({ kind: "later" }),
    });
    server = await serveSessions({ host: fleet, tokens, limits });
  });
  afterAll(async () => {
    await server.close({ graceMs: 1_000 });
    await fleet.close();
  });

  /** Reaches whatever server is there now, as behind a load balancer. */
  const client = createClient({
    url: "http://balancer.example",
    token,
    retryMs: 5,
    fetch: (url, init) => fetch(String(url).replace("http://balancer.example", server.url), init),
  });

  async function replace(): Promise<void> {
    const before = server;
    server = await serveSessions({ host: fleet, tokens, limits });
    await before.close();
  }

  const isEnd = ({ event }: WatchedEvent): boolean => event.kind === "run-ended";

  test("the answer is watched while it is written", async () => {
    const { id } = await client.create({ metadata: { title: "Hello" } });
    const session = client.session(id);
    expect(await session.say("Hello.", { key: "k" })).toEqual({ state: "accepted", session: "woken" });
    expect(await session.say("Hello.", { key: "k" })).toEqual({ state: "known", session: "woken" });
    let text = "";
    for await (const watched of session.events()) {
      if (watched.event.kind === "text") text += watched.event.text;
      if (isEnd(watched)) break;
    }
    expect(text).toBe("One two three four five six seven.");
    expect((await session.messages()).messages.at(-1)).toMatchObject({ role: "assistant", shown: "whole" });
    expect((await session.cost()).responses).toBe(1);
    expect((await session.context()).size.percentLeft).toBeGreaterThan(0);
    expect(await Array.fromAsync(session.export())).toHaveLength((await session.read()).entries);
    expect((await client.list()).sessions).toContainEqual({ id, metadata: { title: "Hello" } });
  });

  test("events come once and in order, over servers that are replaced", async () => {
    const { id } = await client.create();
    const session = client.session(id);
    const offsets: number[] = [];
    let turns = 0;
    const ROUNDS = 10;
    // Not "newest", which is asked for beside the first message.
    const { newestEventOffset } = await session.read();
    const watching = (async () => {
      for await (const watched of session.events({ after: newestEventOffset })) {
        if (watched.offset !== undefined) offsets.push(watched.offset);
        if (isEnd(watched) && ++turns === ROUNDS) return;
      }
    })();
    for (let round = 0; round < ROUNDS; round++) {
      await session.say(`Message ${round}.`);
      if (round % 3 === 0) await replace();
      while (turns <= round) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await watching;
    expect(offsets).toEqual(offsets.map((_, index) => offsets[0]! + index));

    const later = session.events({ after: "newest" })[Symbol.asyncIterator]();
    let first: unknown = "nothing yet";
    void later.next().then(({ value }) => {
      first = value?.event;
    });
    const { events } = fleet.dispatchOf("shop");
    // What is published before the newest is known is not told.
    await expect
      .poll(async () => {
        await events.publish(id, [{ kind: "notice", text: "later" }]);
        return first;
      })
      .toEqual({ kind: "notice", text: "later" });
    await later.return?.(undefined);
  });

  test("a question is answered", async () => {
    const { id } = await client.create();
    const session = client.session(id);
    await session.say("Refund me.");
    for await (const watched of session.events()) {
      if (watched.event.kind !== "run-ended") continue;
      if (watched.event.state === "idle") break;
      const { questions } = await client.questions({ session: id });
      await session.answer(questions[0]!.callId, { decision: "allow" });
    }
    expect(JSON.stringify((await session.messages()).messages)).toContain("The money is on its way.");
  });

  test("a watcher who comes too late is told, and continues", async () => {
    const { id } = await client.create();
    const session = client.session(id);
    await session.say("Hello.");
    for await (const watched of session.events()) if (isEnd(watched)) break;
    const { events } = fleet.dispatchOf("shop");
    await events.prune({ beforeMs: Date.now() + 1_000 });
    await events.publish(id, [{ kind: "notice", text: "after" }]);
    const seen: WatchedEvent[] = [];
    for await (const watched of session.events({ after: 1 })) {
      seen.push(watched);
      if (seen.length === 2) break;
    }
    expect(seen).toMatchObject([
      { event: { kind: "too-old", advice: expect.stringContaining("/messages") } },
      { event: { kind: "notice" } },
    ]);
  });

  test("a stream ends when its token is revoked, and errors say what to do", async () => {
    const { id } = await client.create();
    const watching = Array.fromAsync(client.session(id).events());
    await new Promise((resolve) => setTimeout(resolve, 100));
    valid.delete(stored.id);
    const error = await watching.then(undefined, (failed: unknown) => failed);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 401,
      code: "unauthorized",
      message: expect.stringContaining("palimpsest database tokens create"),
    });
    valid.set(stored.id, stored);
    await expect(client.session("none").read()).rejects.toMatchObject({ code: "no-such-session" });
  });
});
