import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { tool } from "palimpsest";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { say, stop } from "./session-input.ts";
import type { SessionTimer } from "./session-timer.ts";
import { agentTool } from "./start-agent.ts";
import { openWorld, shareDatabase, shareFolder, until, untilEnded, type World } from "./testing/open-world.ts";

let database: StartedDatabase;
let world: World;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());
afterEach(() => world.close());

/** Repeats what is said last. "call NAME" calls a tool, and its result is repeated; so is the report of an agent. */
const script: Script = ({ userText, toolResults, tools }) => {
  const report = /<agent-result[^>]*>\s*(.*?)\s*<\/agent-result>/s.exec(userText)?.[1];
  if (report !== undefined) return answer(`The agent says: ${report}`);
  const last = userText.trim().split("\n").at(-1) ?? "";
  const name = /^call (\w+)$/.exec(last)?.[1];
  const isHanging = tools.includes("hang");
  if (name !== undefined)
    return callTools(callTool(name, { goal: "look", prompt: isHanging ? "call hang" : "Look around." }));
  return answer(last === "" ? `Result: ${toolResults.map(({ text }) => text).join(" ")}` : `You said: ${last}`);
};

/** Waits for a text in a log, without taking the session from its worker. */
async function untilLogged(session: string, text: string): Promise<void> {
  await until(async () => {
    const reader = await world.store.openReader(session);
    const entries = (await reader?.read(1, Number.MAX_SAFE_INTEGER)) ?? [];
    await reader?.close();
    return entries.some(({ payload }) => payload?.includes(text));
  });
}

const places = [
  { where: "a SQLite file", share: () => shareFolder() },
  { where: "PostgreSQL", share: () => shareDatabase(database) },
];

describe.each(places)("in $where", ({ share }) => {
  const open = async (): Promise<World> => {
    world = openWorld(await share(), script);
    return world;
  };

  test("what is said is answered once, however often it is sent, and watchers see the end", async () => {
    const { dispatch, start, conversation, errors } = await open();
    await start();
    await start();
    const first = await say(dispatch.inbox, "s", { key: "k1", content: "Hello." });
    await untilEnded(world, "s");
    expect(await say(dispatch.inbox, "s", { key: "k1", content: "Hello." })).toEqual({ ...first, kind: "known" });
    await untilEnded(world, "s", 2);
    await say(dispatch.inbox, "s", { key: "k2", content: "Still there?" });
    await untilEnded(world, "s", 3);
    expect(await conversation("s")).toEqual([
      "user: Hello.",
      "assistant: You said: Hello.",
      "user: Still there?",
      "assistant: You said: Still there?",
    ]);
    expect(await dispatch.inbox.read("s")).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("a question outlives its worker; its answer continues the turn anywhere", async () => {
    const { dispatch, start, conversation } = await open();
    const paid: string[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays.",
      inputSchema: { type: "object" },
      repeat: "never",
      execute: (_, { key }) => {
        paid.push(key);
        return "paid";
      },
    });
    const asking = { tools: [pay], turn: () => ({ permission: () => ({ kind: "later", reason: "money" }) as const }) };
    const { serving } = await start(asking);
    await say(dispatch.inbox, "s", { key: "k", content: "call pay" });
    await untilEnded(world, "s");
    // The end is published before the run is finished.
    expect((await serving.drain()).left).toBe(0);
    await start(asking);
    const [question] = (await dispatch.approvals.pending()).questions;
    expect(question).toMatchObject({ sessionId: "s", tool: "pay", reason: "money" });
    expect(paid).toEqual([]);
    await dispatch.approvals.answer("s", question!.callId, { decision: "allow", by: "Ada" });
    await untilEnded(world, "s", 2);
    expect(await conversation("s")).toEqual(["user: call pay", "call: pay", "result: paid", "assistant: Result: paid"]);
    expect(paid).toEqual([question!.callId]);
  });

  test("a stop ends a call that would go on for ever, wherever it runs, and what is said after it is answered", async () => {
    const { dispatch, start, conversation } = await open();
    const begun = Promise.withResolvers<void>();
    let ended = 0;
    const hang = tool({
      name: "hang",
      description: "Waits.",
      inputSchema: { type: "object" },
      timeoutMs: 86_400_000,
      execute: (_, { signal }) =>
        new Promise((resolve) => {
          begun.resolve();
          signal.addEventListener("abort", () => {
            ended++;
            resolve("stopped");
          });
        }),
    });
    await start({ tools: [hang] });
    await say(dispatch.inbox, "s", { key: "k1", content: "call hang" });
    await begun.promise;
    await stop(dispatch.inbox, "s", { key: "x", by: "Ada", reason: "enough" });
    await say(dispatch.inbox, "s", { key: "k2", content: "Hello." });
    await until(() => ended > 0);
    // A message that is taken in is answered later.
    await untilLogged("s", "You said: Hello.");
    await untilEnded(world, "s");
    const said = await conversation("s");
    expect(said.slice(0, 2)).toEqual(["user: call hang", "call: hang"]);
    expect(said.slice(-2)).toEqual(["user: Hello.", "assistant: You said: Hello."]);
    expect(said.join("\n")).not.toContain("assistant: Result");
  });

  test("a stop ends what was said before it, and nothing that was said after it", async () => {
    const { dispatch, start, conversation } = await open();
    await say(dispatch.inbox, "s", { key: "a", content: "One." });
    await stop(dispatch.inbox, "s", { key: "x" });
    await say(dispatch.inbox, "s", { key: "b", content: "Two." });
    await stop(dispatch.inbox, "s", { key: "y" });
    await say(dispatch.inbox, "s", { key: "c", content: "Three." });
    await start();
    await untilEnded(world, "s");
    const said = await conversation("s");
    expect(said.filter((line) => line.startsWith("assistant"))).toEqual(["assistant: You said: Three."]);
    expect(said.filter((line) => line.startsWith("user"))).toHaveLength(3);
  });

  test("an agent is a session of its own on any worker, and its report comes once", async () => {
    const { dispatch, start, conversation, errors } = await open();
    const agents = {
      turn: (session: Parameters<typeof agentTool>[0]) => ({ tools: [agentTool(session, dispatch.inbox)] }),
    };
    await start(agents);
    await start(agents);
    await say(dispatch.inbox, "s", { key: "k", content: "call start_agent" });
    await untilLogged("s", "The agent says: You said: Look around.");
    const said = await conversation("s");
    expect(said.filter((line) => line.includes("agent-result"))).toHaveLength(1);
    expect(said.at(-1)).toBe("assistant: The agent says: You said: Look around.");
    expect(errors).toEqual([]);
  });

  test("a stop reaches the agents of a session, and their reports begin no other turn", async () => {
    const { dispatch, start, conversation } = await open();
    const begun = Promise.withResolvers<void>();
    const hang = tool({
      name: "hang",
      description: "Waits.",
      inputSchema: { type: "object" },
      execute: (_, { signal }) =>
        new Promise((resolve) => {
          begun.resolve();
          signal.addEventListener("abort", () => resolve("stopped"));
        }),
    });
    let child = "";
    await start({
      turn(session) {
        if (session.id !== "s") child = session.id;
        return { tools: [agentTool(session, dispatch.inbox), hang] };
      },
    });
    await say(dispatch.inbox, "s", { key: "k", content: "call start_agent" });
    await begun.promise;
    await stop(dispatch.inbox, "s", { key: "x" });
    await untilEnded(world, child);
    await until(async () => (await dispatch.inbox.read("s")).length + (await dispatch.inbox.read(child)).length === 0);
    const said = await conversation("s");
    expect(said.filter((line) => line.startsWith("assistant")).length).toBeLessThanOrEqual(1);
    expect(said.filter((line) => line.includes("has stopped the turn"))).toHaveLength(1);
  });

  test("an agent that always ends its worker is set aside, and whoever started it is told", async () => {
    const { dispatch, start } = await open();
    await start({
      turn: (session) => ({ tools: [agentTool(session, dispatch.inbox)] }),
      async open({ session }) {
        if (session.includes(".agent-")) throw new Error("out of memory");
        return world.open(session);
      },
      serve: { retryAfterMs: () => 10 },
    });
    await say(dispatch.inbox, "s", { key: "k", content: "call start_agent" });
    await untilLogged("s", "The agent says: The agent's session failed too often and was set aside.");
    const [poison] = (await dispatch.schedule.listSetAside()).sessions;
    expect(poison).toMatchObject({ attempts: 5, failure: "out of memory" });
  });

  test("steps can be taken one by one", async () => {
    const { dispatch, tenant, start } = await open();
    const look = tool({ name: "look", description: "Looks.", inputSchema: { type: "object" }, execute: () => "seen" });
    const { worker, serving } = await start({ tools: [look] });
    await serving.drain();
    await say(dispatch.inbox, "s", { key: "k", content: "call look" });
    const kinds: string[] = [];
    while (kinds.at(-1) !== "done") kinds.push((await worker.step({ tenant, session: "s" })).kind);
    expect(kinds).toEqual(["responded", "ran", "done"]);
  });

  test("a session that somebody else has continued is read anew; one that nobody continued is not", async () => {
    const { dispatch, start, conversation } = await open();
    let opened = 0;
    await start({
      open({ session }) {
        opened++;
        return world.open(session);
      },
    });
    await say(dispatch.inbox, "s", { key: "k1", content: "One." });
    await untilEnded(world, "s");
    await say(dispatch.inbox, "s", { key: "k2", content: "Two." });
    await untilEnded(world, "s", 2);
    expect(opened).toBe(1);
    const other = await world.open("s");
    await other.append("Three, from elsewhere.");
    await other.close();
    await dispatch.schedule.wake("s");
    await untilEnded(world, "s", 3);
    expect(opened).toBe(2);
    expect((await conversation("s")).at(-1)).toBe("assistant: You said: Three, from elsewhere.");
  });

  test("a timer comes when the session was silent, not if it continued; it can delete the session", async () => {
    const { dispatch, start, store } = await open();
    const fired: string[] = [];
    const timers: readonly SessionTimer[] = [
      {
        key: "look",
        afterMs: 700,
        run: ({ target, withSession }) =>
          withSession(async (session) => {
            await session.background.setReadTo("pinged", fired.length);
            fired.push(`${target.session} pinged`);
            return fired.length < 2 ? { againAfterMs: 100 } : undefined;
          }),
      },
      {
        key: "retention",
        afterMs: 5_000,
        async run({ target: { session }, withSession }) {
          await withSession(async () => undefined);
          fired.push(`${session} ${(await store.delete(session)).kind}`);
          return undefined;
        },
      },
    ];
    await start({ timers });
    await say(dispatch.inbox, "s", { key: "k1", content: "One." });
    await untilEnded(world, "s");
    await say(dispatch.inbox, "s", { key: "k2", content: "Two." });
    await until(() => fired.length >= 3);
    expect(fired).toEqual(["s pinged", "s pinged", "s deleted"]);
    await until(async () => (await store.openReader("s")) === undefined);
    expect((await dispatch.schedule.listSetAside()).sessions).toEqual([]);
  });

  test("a session that was deleted does not begin anew when it is woken, only when somebody speaks to it", async () => {
    const { dispatch, start, store } = await open();
    let opened = 0;
    const { worker } = await start({
      open({ session }) {
        opened++;
        return world.open(session);
      },
    });
    await say(dispatch.inbox, "s", { key: "k1", content: "One." });
    await untilEnded(world, "s");
    await worker.close();
    expect((await store.delete("s")).kind).toBe("deleted");
    await dispatch.forget("s");
    for (const session of ["s", "never"]) await dispatch.schedule.wake(session);
    await say(dispatch.inbox, "t", { key: "k1", content: "Two." });
    await untilEnded(world, "t");
    expect([await store.openReader("s"), await store.openReader("never"), opened]).toEqual([undefined, undefined, 2]);
    await say(dispatch.inbox, "s", { key: "k1", content: "Three." });
    await untilEnded(world, "s");
    expect(await world.conversation("s")).toContain("assistant: You said: Three.");
  });

  test("a worker that is drained leaves a long call to another one, which tells that its outcome is unknown", async () => {
    const { dispatch, start, conversation } = await open();
    const begun = Promise.withResolvers<void>();
    const long = tool({
      name: "long",
      description: "Takes hours.",
      inputSchema: { type: "object" },
      repeat: "never",
      execute: () => {
        begun.resolve();
        return new Promise<string>(() => undefined);
      },
    });
    const { serving } = await start({ tools: [long] });
    await say(dispatch.inbox, "s", { key: "k", content: "call long" });
    await begun.promise;
    expect(await serving.drain({ withinMs: 50 })).toEqual({ ended: 0, left: 1 });
    await start({ tools: [long] });
    await untilEnded(world, "s");
    const said = await conversation("s");
    expect(said.slice(0, 2)).toEqual(["user: call long", "call: long"]);
    expect(said).toHaveLength(4);
    expect(said[2]).toMatch(/^result: The outcome of this call is unknown/);
  });
});
