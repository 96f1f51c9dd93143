import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandHook } from "../hooks/command.ts";
import type { Hook } from "../hooks/hook.ts";
import { createHooks } from "../hooks/run.ts";
import { anthropic } from "../providers/anthropic.ts";
import { openSession } from "../session/open.ts";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";

async function open(list: readonly Hook[], store: Store = memoryStore({ leaseMs: 0 })) {
  const events: SessionEvent[] = [];
  const session = await openSession({
    store,
    id: "s",
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
    settingsFrom: { environment: {} },
    hooks: createHooks(list),
    onEvent: (event) => void events.push(event),
  });
  return { session, events, store };
}

test("shows the output of SessionStart hooks to the model, and again after a resume", async () => {
  const hook: Hook = { event: "SessionStart", run: ({ source, sessionId }) => `${sessionId} begins by ${source}` };
  const { session, store } = await open([hook]);
  await session.append("Hello");
  const { messages } = await session.prepare();
  expect(messages).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain("s begins by startup");
  expect(session.view.accounting().attachments).toMatchObject({ hook: expect.anything() });
  await session.close();
  const again = await open([hook], store);
  expect(JSON.stringify((await again.session.prepare()).messages)).toContain("s begins by resume");
});

test("passes clear as the source of a session that replaces another", async () => {
  const session = await openSession({
    store: memoryStore(),
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
    hooks: createHooks([{ event: "SessionStart", run: ({ source }) => `begins by ${source}` }]),
    startedBy: "clear",
  });
  await session.append("Hello");
  expect(JSON.stringify((await session.prepare()).messages)).toContain("begins by clear");
});

test("logs hook messages for the user, but leaves them out of the request", async () => {
  const { session, events } = await open([
    { event: "SessionStart", run: () => ({ userDisplayMessage: "Welcome." }) },
    { event: "SessionStart", run: commandHook("echo 'Not today.' >&2; exit 2") },
  ]);
  await session.append("Hello");
  const lines = (await Array.fromAsync(session.history.export())).join();
  for (const words of ["Welcome.", "Not today."]) expect(lines).toContain(words);
  expect(JSON.stringify(await session.prepare())).not.toMatch(/Welcome|Not today/);
  expect(events[0]).toMatchObject({ kind: "hooks-ran", event: "SessionStart", ran: 2, messages: ["Welcome."] });
});

test("reports hooks that fail, and opens the session", async () => {
  const { session, events } = await open([
    { event: "SessionStart", run: commandHook("exit 7"), name: "seven" },
    { event: "SessionStart", run: () => new Promise(() => undefined), timeoutMs: 50 },
  ]);
  expect(await session.append("Hello")).toEqual([2]);
  expect(events).toMatchObject([{ failures: [{ by: "seven", kind: "error" }, { kind: "timeout" }] }]);
});

test("runs SessionEnd hooks once on close, after releasing the session", async () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { session, store } = await open(
    [{ event: "SessionEnd", run: commandHook("cat >> ended; echo >> ended; sleep 0.3", { folder }) }],
    memoryStore(),
  );
  const closing = session.close();
  await expect.poll(() => readFileSync(join(folder, "ended"), "utf8"), { interval: 10 }).toContain("\n");
  const other = await open([], store);
  await other.session.append("I am in.");
  await closing;
  await session.close();
  const ended = readFileSync(join(folder, "ended"), "utf8").trim().split("\n");
  expect(ended.map((line) => JSON.parse(line))).toEqual([{ event: "SessionEnd", sessionId: "s" }]);
});

test("waits for a hanging hook only until its deadline on close", async () => {
  // The hook takes longer than the test may.
  const { session, events } = await open([{ event: "SessionEnd", run: commandHook("sleep 900"), timeoutMs: 300 }]);
  await session.close();
  expect(events.at(-1)).toMatchObject({ event: "SessionEnd", failures: [{ kind: "timeout" }] });
});

test("limits the output of SessionStart hooks, even after compactions, and notifies the model and the user", async () => {
  const { session, store } = await open([{ event: "SessionStart", run: () => "word ".repeat(200_000) }]);
  const { windowTokens, tokens } = session.view.size();
  expect(tokens).toBeLessThan(windowTokens / 4);
  await session.append("Hello");
  const cut = `This text has 999999 characters. In a window of ${windowTokens} tokens the model reads the first ${windowTokens / 4}.`;
  expect(JSON.stringify(await session.prepare())).toContain(`[${cut}]`);
  const entries = await (await store.openReader("s"))!.read(1, 99);
  expect(
    entries.filter(({ payload }) => payload?.includes(`"text":"Hooks at the start of the session: ${cut}"`)),
  ).toHaveLength(1);
});
