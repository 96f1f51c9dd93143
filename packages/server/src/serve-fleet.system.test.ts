import { setTimeout as sleep } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { createClient, type WatchedEvent } from "@palimpsest/client";
import { queueScheduler } from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer, createAnthropic, fetchInProcess } from "@palimpsest/provider-simulator";
import { anthropic } from "palimpsest/anthropic";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type FleetServer, type ServeFleetOptions, serveFleet } from "./serve-fleet.ts";
import { createToken, SCOPES } from "./tokens/token.ts";

/** So many words, one event of the stream each. */
const WORDS = 60;
const TEXT = `${Array.from({ length: WORDS }, (_, index) => `word-${index}`).join(" ")}.`;

const { text: token, stored } = createToken({ tenant: "shop", name: "Ada", scopes: SCOPES });
const tokens = { find: async () => stored };
let database: StartedDatabase;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Started extends FleetServer {
  /** The model writes only so many events of its stream. A test raises the number to let it go on. */
  readonly pace: { events: number };
  /** How many requests its model was sent. */
  asked(): number;
}

/** As one more process: with its own connections, and a model that takes its time. */
async function start(options: Partial<ServeFleetOptions> = {}): Promise<Started> {
  const pool = database.connect({ user: "dispatcher", database: "postgres" });
  const postgres = openPostgres({ pool });
  const { tenant: dispatch, queue, close } = openPostgresDispatch({ pool, pollMs: 50 });
  let asked = 0;
  const script = () => {
    asked++;
    return answer(TEXT);
  };
  const pace = { events: Number.POSITIVE_INFINITY };
  let written = 0;
  const wait = async (ms: number): Promise<void> => {
    written++;
    do await sleep(ms);
    while (written > pace.events);
  };
  // A clock that really waits: the stream is watched while it is written.
  const clock = { now: Date.now, wait };
  const slow = fetchInProcess({ face: createAnthropic({ script }), eventMs: () => 25, clock });
  const provider = anthropic(new Anthropic({ apiKey: "none", maxRetries: 0, fetch: slow }));
  const server = await serveFleet({
    agent: () => ({ provider, model: "claude-opus-5-5", settings: { notes: "off" } }),
    store: (tenant) => postgres.store({ tenant }),
    dispatch,
    scheduler: queueScheduler({ queue, schedule: (tenant) => dispatch(tenant).schedule }),
    runs: { renewEveryMs: 100 },
    tokens,
    limits: { requestsPerMinute: 100_000 },
    ...options,
  });
  const started = { ...server, pace, asked: () => asked };
  closing.push(async () => {
    await server.close({ graceMs: 0 });
    await close();
  });
  return started;
}

const clientOf = ({ url }: FleetServer) => createClient({ url, token, retryMs: 5 });
const isEnd = ({ event }: WatchedEvent): boolean => event.kind === "run-ended";
const textOf = (seen: readonly WatchedEvent[]): string =>
  seen.map(({ event }) => (event.kind === "text" ? event.text : "")).join("");

/** Reads events for as long as the caller wants more. */
async function watch(
  server: FleetServer,
  session: string,
  after: number | undefined,
  wants: (seen: readonly WatchedEvent[]) => boolean,
): Promise<readonly WatchedEvent[]> {
  const seen: WatchedEvent[] = [];
  const from = after === undefined ? {} : { after };
  for await (const one of clientOf(server).session(session).events(from)) {
    seen.push(one);
    if (!wants(seen)) break;
  }
  return seen;
}

test("the text of a turn is watched while it is written in another process, and whoever connects to a third one misses nothing", async () => {
  const [front, other, worker] = [await start({ workers: 0 }), await start({ workers: 0 }), await start()];
  worker.pace.events = 20;
  await clientOf(front).create({ id: "s" });
  await clientOf(front).session("s").say("Hello.");
  const first = await watch(front, "s", undefined, (seen) => !textOf(seen).includes("word-10 "));
  expect(textOf(first)).not.toContain(`word-${WORDS - 1}`);
  expect((await clientOf(other).session("s").read()).state).toBe("running");
  worker.pace.events = 45;
  const second = await watch(other, "s", first.at(-1)!.offset, (seen) => !textOf(seen).includes("word-30 "));
  expect(textOf(second)).not.toContain(`word-${WORDS - 1}`);
  worker.pace.events = Number.POSITIVE_INFINITY;
  const third = await watch(worker, "s", second.at(-1)!.offset, (seen) => !isEnd(seen.at(-1)!));
  const all = [...first, ...second, ...third];
  expect(textOf(all)).toBe(TEXT);
  // The same events, in the same pieces, for somebody who watches from the beginning.
  expect(await watch(other, "s", undefined, (seen) => !isEnd(seen.at(-1)!))).toEqual(all);
  expect([front.asked(), other.asked(), worker.asked()]).toEqual([0, 0, 1]);
});

test("a process that goes tells its streams, leaves its turn to another one, and is not waited for", async () => {
  const [front, worker] = [await start({ workers: 0 }), await start()];
  await clientOf(front).create({ id: "t" });
  await clientOf(front).session("t").say("Hello.");
  const watching = fetch(`${worker.url}/v1/sessions/t/events`, { headers: { authorization: `Bearer ${token}` } });
  const atFront = watch(front, "t", undefined, (seen) => !isEnd(seen.at(-1)!));
  await watch(front, "t", undefined, (seen) => !textOf(seen).includes("word-5 "));
  const next = await start();
  const { ended, left } = await worker.close({ graceMs: 50 });
  expect({ ended, left }).toEqual({ ended: 0, left: 1 });
  expect(await (await watching).text()).toMatch(/event: closing\ndata: \{"kind":"closing","reason":"server-stopping"/);
  await expect(fetch(`${worker.url}/health/live`)).rejects.toThrow();

  const seen = await atFront;
  expect(textOf(seen).endsWith(TEXT)).toBe(true);
  const { messages } = await clientOf(next).session("t").messages();
  expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
  expect([worker.asked(), next.asked()]).toEqual([1, 1]);
});
