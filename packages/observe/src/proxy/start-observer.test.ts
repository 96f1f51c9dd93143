import { EventEmitter } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import type { ThreadOrder } from "./observe/thread-messages.ts";
import type { ProxyEvent } from "./proxy-event.ts";
import { startObserver } from "./start-observer.ts";
import { messageAnswer, messagesBody, user } from "./testing/bodies.ts";

const FACTS = {
  api: "messages",
  upstream: "service",
  headers: {},
  credential: "somebody",
  method: "POST",
  path: "/v1/messages",
  sentAtMs: 1,
  atMs: 2,
  status: 200,
  responseHeaders: {},
  ended: "whole",
} as const;

/** An observer whose thread keeps its orders, and says `done` when the test tells it to. */
async function withIdleThread() {
  const orders: ThreadOrder[] = [];
  const thread = Object.assign(new EventEmitter(), {
    postMessage: (order: ThreadOrder) => void orders.push(order),
    ref: () => {},
    unref: () => {},
    terminate: async () => 0,
  });
  const start = (): Worker => {
    queueMicrotask(() => thread.emit("message", { kind: "ready" }));
    return thread as unknown as Worker;
  };
  const observer = await startObserver({ folder: "nowhere", maxResultBytes: 1_000 }, () => {}, start);
  const finish = (): void => {
    for (const { number } of orders) thread.emit("message", { kind: "done", number });
  };
  return { observer, orders, finish };
}

const SMALL = { request: [Buffer.from("{}")], response: [Buffer.from("{}")] };

test("exchanges that end at the same time are handed over one in a turn of the event loop", async () => {
  const { observer, orders, finish } = await withIdleThread();
  const observed = [1, 2, 3].map(() => observer.observe(FACTS, SMALL));
  for (let turn = 1; turn <= 3; turn++) {
    const before = orders.length;
    await setImmediate();
    expect(orders.length - before).toBeLessThanOrEqual(1);
  }
  while (orders.length < 3) await setImmediate();
  finish();
  await Promise.all(observed);
  await observer.close();
});

test("an exchange that cannot be handed over does not hold up the next one", async () => {
  const { observer, orders, finish } = await withIdleThread();
  const broken = observer.observe(FACTS, { request: [undefined as never], response: [] });
  const next = observer.observe(FACTS, SMALL);
  await expect(broken).rejects.toThrow();
  while (orders.length === 0) await setImmediate();
  finish();
  await next;
  await observer.close();
});

test("an observer that is closed gives its thread the exchanges that are still to be handed over", async () => {
  const { observer, orders, finish } = await withIdleThread();
  const observed = observer.observe(FACTS, SMALL);
  let isClosed = false;
  const closing = observer.close().then(() => {
    isClosed = true;
  });
  while (orders.length === 0) await setImmediate();
  expect(isClosed).toBe(false);
  finish();
  await Promise.all([observed, closing]);
});

test("a thread that dies is started again, and after some deaths no more: nothing waits for it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-proxy-thread-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const events: ProxyEvent[] = [];
  const threads: Worker[] = [];
  const options = { folder, maxResultBytes: 1_000 };
  const observer = await startObserver(
    options,
    (event) => void events.push(event),
    (workerData) => {
      const execArgv = ["--conditions=palimpsest-source"];
      const thread = new Worker(new URL("./observer-thread.ts", import.meta.url), { workerData, execArgv });
      threads.push(thread);
      return thread;
    },
  );
  const observe = (id: string): Promise<void> => {
    const [request, response] = [messagesBody([user(id)]), messageAnswer("Hi.", {}, id)].map((text) =>
      Buffer.from(text),
    );
    return observer.observe(FACTS, { request: [request!], response: [response!] });
  };
  await observe("first");
  const dying = observe("lost");
  await threads[0]!.terminate();
  await dying;
  await observe("second");
  for (let death = 1; death < threads.length; death++) await threads[death]!.terminate();
  expect(threads).toHaveLength(5);
  await observe("nobody");
  expect(await observer.plan({ ...FACTS, headers: {} }, [Buffer.from("{}")], 60_000)).toBeUndefined();
  await observer.close();
  const failures = events.flatMap((event) => (event.kind === "passed" ? [event.detail] : []));
  expect(failures).toHaveLength(5);
  expect(failures[0]).toContain("It is started again.");
  expect(failures.at(-1)).toContain("From now on nothing is logged.");
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  for (const id of ["first", "second"]) expect(written.join()).toContain(`"id":"${id}"`);
});
