import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
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
