import { setTimeout as sleep } from "node:timers/promises";
import { memoryStore, openSession, type QueryEvent, type Session } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { afterEach, expect, test } from "vitest";
import type { Events, PublishOptions } from "./events.ts";
import { joinEvents } from "./join-events.ts";
import { publishEvents } from "./publish-events.ts";

interface Published {
  readonly events: readonly unknown[];
  readonly options: PublishOptions | undefined;
}

const opened: Session[] = [];

afterEach(async () => {
  for (const session of opened.splice(0)) await session.close();
});

async function open(): Promise<Session> {
  // Nothing is sent here.
  const session = await openSession({
    store: memoryStore(),
    id: "s",
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
  });
  opened.push(session);
  return session;
}

/** Keeps what is published; fails or refuses as it is told. */
function recorder(outcomes: readonly ("published" | "fenced" | "lost-answer")[] = []) {
  const published: Published[] = [];
  const left = [...outcomes];
  const publish: Events["publish"] = async (session, events, options) => {
    expect(session).toBe("s");
    published.push({ events, options });
    const outcome = left.shift() ?? "published";
    if (outcome === "lost-answer") throw new Error("connection lost");
    return outcome === "fenced" ? { kind: "fenced", fence: 9 } : { kind: "published", newestOffset: 0 };
  };
  return { published, publish };
}

const text = (part: string): QueryEvent => ({ kind: "text", text: part });

test("events of the session and of its turns are published together, texts in one, what the session told only once", async () => {
  const session = await open();
  const { published, publish } = recorder();
  const publishing = publishEvents(session, { publish }, { fence: 7, everyMs: 600_000 });
  session.events.emit({ kind: "turn-started" });
  publishing.add({ kind: "request-started", tries: 1 });
  for (const part of ["Hel", "lo ", "there"]) publishing.add(text(part));
  publishing.add({ kind: "session-event", event: { kind: "turn-started", session: "s", atMs: 1 } });
  for (const id of ["a", "a", "b"]) publishing.add({ kind: "tool_input", id, text: "x" });
  expect(await publishing.flush()).toBe("published");
  expect(published).toEqual([
    {
      events: [
        { kind: "session-event", event: expect.objectContaining({ kind: "turn-started", session: "s" }) },
        { kind: "request-started", tries: 1 },
        { kind: "text", text: "Hello there" },
        { kind: "tool_input", id: "a", text: "xx" },
        { kind: "tool_input", id: "b", text: "x" },
      ],
      options: { fence: 7, batch: expect.any(String) },
    },
  ]);
  await publishing.stop();
  session.events.emit({ kind: "turn-started" });
  expect(await publishing.flush()).toBe("published");
  expect(published).toHaveLength(1);
});

test("what is added is published after a while, in batches that a watcher can read at once", async () => {
  const session = await open();
  const { published, publish } = recorder();
  const publishing = publishEvents(session, { publish }, { everyMs: 5 });
  for (let tries = 1; tries <= 300; tries++) publishing.add({ kind: "request-started", tries });
  await expect.poll(() => published.map(({ events }) => events.length)).toEqual([256, 44]);
  expect(new Set(published.map(({ options }) => options?.batch)).size).toBe(2);
  await publishing.stop();
});

test("a batch whose fate is unknown is sent again under its name, before what came later", async () => {
  const session = await open();
  const { published, publish } = recorder(["lost-answer"]);
  const told: unknown[] = [];
  const publishing = publishEvents(session, { publish }, { everyMs: 1, onError: (error) => told.push(error) });
  publishing.add(text("one"));
  await expect.poll(() => told.length).toBe(1);
  publishing.add(text("two"));
  expect(await publishing.stop()).toBe("published");
  expect(published.map(({ events }) => events)).toEqual([[text("one")], [text("one")], [text("two")]]);
  const [first, again, next] = published.map(({ options }) => options?.batch);
  expect(first).toBe(again);
  expect(next).not.toBe(first);
});

test("who was replaced publishes nothing more, and is told", async () => {
  const session = await open();
  const { published, publish } = recorder(["fenced"]);
  const publishing = publishEvents(session, { publish }, { fence: 3, everyMs: 1 });
  publishing.add(text("one"));
  expect(await publishing.flush()).toBe("fenced");
  publishing.add(text("two"));
  await sleep(10);
  expect(await publishing.stop()).toBe("fenced");
  expect(published).toHaveLength(1);
});

test("what a database that is away cannot take is counted, and an error keeps its words", () => {
  const waiting: unknown[] = [];
  for (let tries = 1; tries <= 5; tries++) joinEvents(waiting, { kind: "request-started", tries }, 3);
  expect(waiting).toEqual([
    { kind: "request-started", tries: 1 },
    { kind: "request-started", tries: 2 },
    { kind: "events-left-out", count: 3 },
  ]);
  const failed = { kind: "failed", error: Object.assign(new Error("no answer"), { code: "x" }), tries: 2, waitedMs: 1 };
  const ended: unknown[] = [];
  joinEvents(ended, { kind: "turn-ended", outcome: failed } as never, 3);
  expect(JSON.parse(JSON.stringify(ended))).toEqual([
    { kind: "turn-ended", outcome: { ...failed, error: { name: "Error", message: "no answer", code: "x" } } },
  ]);
});
