import { createAgents } from "@palimpsest/agents";
import { openCoordination } from "@palimpsest/coordination";
import { openMemory } from "@palimpsest/memory";
import { importSession, readTranscript } from "@palimpsest/observe";
import { analyze } from "@palimpsest/observe/analyze";
import {
  exportLog,
  InvalidOptionError,
  importLog,
  memoryStore,
  openSession,
  PalimpsestError,
  query,
  readSettings,
  readStream,
  repairMessages,
  type Session,
  settingsFile,
  tool,
} from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { createHooks } from "palimpsest/hooks";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import { sqliteStore } from "palimpsest/sqlite";
import { resultFiles } from "palimpsest/store-parts";
import { telemetry } from "palimpsest/telemetry";
import { describe, expect, test } from "vitest";

/** What somebody who writes no TypeScript may pass by mistake. */
const WRONG: readonly unknown[] = [undefined, null, 5, "word", {}, [], () => {}, Symbol("s")];
const provider = anthropic({} as never);
const right = { store: memoryStore(), provider, model: "claude-opus-5-5" };
type AnyFunction = (...args: readonly unknown[]) => unknown;

const any = (one: unknown): AnyFunction => one as AnyFunction;

/** What a call threw, at once or later; undefined if it did not. */
async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    const returned = await call();
    const iterator = (returned as { readonly next?: () => Promise<unknown> } | undefined)?.next;
    if (typeof iterator === "function") await iterator.call(returned);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Nothing, or an error of ours. */
function expectOurs(thrown: unknown, what: string): void {
  if (thrown === undefined) return;
  // A path to a file that is not there is a path nevertheless.
  if (thrown instanceof Error && "syscall" in thrown) return;
  const shown = thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack}` : String(thrown);
  expect(thrown instanceof PalimpsestError, `${what}: ${shown}`).toBe(true);
}

describe("a wrong argument is told by an error of ours, never by a TypeError from within", () => {
  test.each<[string, AnyFunction]>([
    ["openSession", any(openSession)],
    ["query", any(query)],
    ["tool", any(tool)],
    ["anthropic", any(anthropic)],
    ["openaiChat", any(openaiChat)],
    ["openaiResponses", any(openaiResponses)],
    ["sqliteStore", any(sqliteStore)],
    ["resultFiles", any(resultFiles)],
    ["openCoordination", any(openCoordination)],
    ["openMemory", any(openMemory)],
    ["createAgents", any(createAgents)],
    ["createHooks", any(createHooks)],
    ["telemetry", any(telemetry)],
    ["readSettings", any(readSettings)],
    ["settingsFile", any(settingsFile)],
    ["readStream", any(readStream)],
    ["readTranscript", any(readTranscript)],
    ["importSession", any(importSession)],
    ["importLog", any(importLog)],
    ["exportLog", any(exportLog)],
    ["analyze", any(analyze)],
    ["repairMessages", any(repairMessages)],
  ])("%s()", async (name, call) => {
    for (const wrong of WRONG) expectOurs(await thrownBy(() => call(wrong)), `${name}(${String(wrong)})`);
  });

  test.each([
    "store",
    "provider",
    "model",
    "id",
    "system",
    "tools",
    "parameters",
    "onEvent",
    "settings",
    "settingsFrom",
  ])("openSession({ %s })", async (option) => {
    for (const wrong of WRONG) {
      const thrown = await thrownBy(() => any(openSession)({ ...right, [option]: wrong }));
      expectOurs(thrown, `${option}: ${String(wrong)}`);
    }
  });

  const METHODS: Readonly<Record<string, (session: Session) => unknown>> = {
    append: (session) => session.append,
    prepare: (session) => session.prepare,
    record: (session) => session.record,
    configure: (session) => session.configure,
    compact: (session) => session.compact,
    recover: (session) => session.recover,
    recall: (session) => session.recall,
    fork: (session) => session.fork,
    ask: (session) => session.ask,
    "provider.keepWarm": (session) => session.provider.keepWarm,
    "view.accounting": (session) => session.view.accounting,
    "history.replace": (session) => session.history.replace,
    "history.fold": (session) => session.history.fold,
    "history.snip": (session) => session.history.snip,
    "history.explain": (session) => session.history.explain,
    "history.restore": (session) => session.history.restore,
    "history.rewind": (session) => session.history.rewind,
    "pins.add": (session) => session.pins.add,
    "pins.remove": (session) => session.pins.remove,
    "notes.update": (session) => session.notes.update,
    "ledger.enter": (session) => session.ledger.enter,
    "events.listen": (session) => session.events.listen,
    "background.enterAgent": (session) => session.background.enterAgent,
    "background.readTo": (session) => session.background.readTo,
    "background.setReadTo": (session) => session.background.setReadTo,
  };
  test.each(Object.entries(METHODS))("session.%s()", async (method, find) => {
    for (const wrong of WRONG) {
      const session = await openSession({ ...right, store: memoryStore() });
      await session.append("Hello");
      expectOurs(await thrownBy(() => any(find(session))(wrong)), `${method}(${String(wrong)})`);
      expectOurs(await thrownBy(() => any(find(session))(wrong, wrong)), `${method}(${String(wrong)}, it)`);
      await session.close();
    }
  });
});

describe("the error says what to pass", () => {
  test.each<[string, () => unknown, string]>([
    [
      "no store",
      () => any(openSession)({ provider, model: "m" }),
      "openSession({ store }) is missing; it must be a store: memoryStore()",
    ],
    [
      "no provider",
      () => any(openSession)({ store: memoryStore(), model: "m" }),
      "openSession({ provider }) is missing; it must be a provider: one of this package with your client, or your own.",
    ],
    [
      "no model",
      () => any(openSession)({ store: memoryStore(), provider }),
      "openSession({ model }) is missing; it must be the name of a model.",
    ],
    [
      "a tool that is neither defined nor can be run",
      () => any(openSession)({ ...right, tools: [{ name: "t" }] }),
      "it must be a list of tools made by tool(), or of definitions, each with a name and an inputSchema",
    ],
    [
      "a tool that runs nothing",
      () => any(tool)({ name: "t", description: "", inputSchema: {} }),
      "tool({ execute }) is missing",
    ],
    ["a query of nothing", () => any(query)(), "query(session) is missing; it must be a session"],
  ])("%s", async (_, call, message) => {
    const thrown = await thrownBy(call);
    expect(thrown).toBeInstanceOf(InvalidOptionError);
    expect((thrown as Error).message).toContain(message);
  });

  test("nothing is appended, and a stream is no response", async () => {
    const session = await openSession(right);
    expect(((await thrownBy(() => any(session.append)(undefined))) as Error).message).toBe(
      "append(content) is missing; it must be a text, or the result of user(), toolResult(), attachment() or a provider's readMessages().",
    );
    expect(session.history.newestEntry).toBe(1);
    await session.append("Hello");
    const stream = (async function* () {})();
    expect(((await thrownBy(() => any(session.record)(stream))) as Error).message).toContain(
      "readStream(provider.send(request)) reads a stream to its end",
    );
    expect(((await thrownBy(() => any(session.record)({}))) as Error).message).toContain(
      "a whole response of anthropic",
    );
    await session.close();
  });
});
