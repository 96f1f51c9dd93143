import Anthropic from "@anthropic-ai/sdk";
import { answer, callTool, callTools, createAnthropic, type Script, serve } from "@palimpsest/provider-simulator";
import { afterAll, describe, expect, test } from "vitest";
import { ForkError, NoSuchEntryError, SessionLostError } from "../errors.ts";
import { toolResult } from "../log/messages.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import { exportLog, importLog } from "../stores/export-log.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";
import type { ForkOptions } from "./forks.ts";

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const KEPT = { compaction: "off" } as const;
const LOOK = { name: "look", inputSchema: { type: "object" } };

/** A session of some 110,000 tokens whose last request is in the cache. */
async function warmSession(script: Script = () => answer("Done.")) {
  const server = await serve({ faces: [createAnthropic({ script })] });
  closers.push(() => server.close());
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
  const store = memoryStore({ leaseMs: 0 });
  const options = { store, provider, model: "claude-opus-5-5", system: "Be brief.", tools: [LOOK], settings: KEPT };
  const session = await openSession({ ...options, id: "parent" });
  const send = async (of: typeof session) => {
    const request = await of.prepare();
    return { request, recorded: await of.record(await readStream(provider.send(request)), request) };
  };
  for (const part of ["one", "two", "three"]) {
    for (let piece = 0; piece < 3; piece++) await session.append(`${part} `.repeat(19_000));
    await send(session);
  }
  const sentTokens = session.view.size().tokens;
  expect(sentTokens).toBeGreaterThan(100_000);
  return { session, send, options, sentTokens };
}

describe("a fork", () => {
  test.each(["compact", "session_notes", "extract_memories", "dream", "agent_summary", "side question"])(
    "of source %s reads the prompt from the cache, and is charged to its parent",
    async (source) => {
      const { session, sentTokens } = await warmSession();
      const { text, usage, refusedCalls } = await session.ask("What was this about?", { source });
      expect(text).toBe("Done.");
      expect(refusedCalls).toBe(0);
      // The parent's last answer is new to the cache, as is the question.
      expect(usage.cacheReadTokens / (sentTokens - 10)).toBeGreaterThan(0.99);
      expect(usage.cacheWriteTokens).toBe(0);
      const { bySource, unpricedResponses } = await session.ledger.cost();
      expect(bySource[source]).toMatchObject({ responses: 1, cacheReadTokens: usage.cacheReadTokens });
      expect(bySource["main"]!.responses).toBe(3);
      expect(unpricedResponses).toBe(0);
    },
  );

  test("emits how it ended if it has sent a request", async () => {
    let fault: object = {};
    const { session, send } = await warmSession(() => ({ ...answer("Done."), ...fault }));
    const emitted: object[] = [];
    session.events.listen(
      (event) => event.kind === "forked" && emitted.push([event.source, event.outcome, event.used]),
    );
    await (await session.fork({ source: "idle" })).close();
    const { usage } = await session.ask("What was this about?", { source: "one" });
    fault = { fault: { kind: "server-error", message: "no" } };
    await expect(session.ask("And this?", { source: "two" })).rejects.toThrow();
    const ends = new AbortController();
    const fork = await session.fork({ source: "three", signal: ends.signal });
    await fork.append("Go on.");
    await fork.prepare();
    ends.abort();
    await fork.close();
    await fork.close();
    fault = {};
    const twice = await session.fork({ source: "four" });
    for (const words of ["Go on.", "And on."]) {
      await twice.append(words);
      await send(twice);
    }
    await twice.close();
    const nothing = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
    expect(emitted).toMatchObject([
      ["one", "ok", { cacheReadTokens: usage.cacheReadTokens, outputTokens: usage.outputTokens }],
      ["two", "failed", nothing],
      ["three", "aborted", nothing],
      ["four", "ok", { outputTokens: 2 * usage.outputTokens }],
    ]);
  });

  test("asks questions with the cached prompt", async () => {
    const { session, send } = await warmSession();
    const fork = await session.fork({ source: "agent", id: "child" });
    await fork.append("Something else.");
    await send(fork);
    const before = JSON.stringify(fork.view.accounting());
    const { usage } = await fork.ask("What are you doing?", { source: "phrase" });
    expect(usage.cacheReadTokens).toBeGreaterThan(100_000);
    expect(JSON.stringify(fork.view.accounting())).toBe(before);
    expect((await fork.ledger.cost()).bySource["phrase"]).toMatchObject({ responses: 1 });
    await expect(fork.fork({ source: "deeper" })).rejects.toThrow("it is itself a fork");
    await fork.close();
  });

  test("has a ledger of its own responses", async () => {
    const { session, send, options } = await warmSession();
    const fork = await session.fork({ source: "try", id: "child" });
    await fork.append("Something else.");
    await send(fork);
    const linesOf = async (of: typeof fork) => (await Array.fromAsync(of.ledger.lines())).length;
    expect([await linesOf(fork), fork.ledger.totals().responses]).toEqual([1, 1]);
    await fork.close();
    const again = await openSession({ ...options, id: "child" });
    expect([await linesOf(again), again.ledger.totals().responses]).toEqual([1, 1]);
    await again.close();
  });

  test("does not change its parent's view, requests or cache", async () => {
    const { session, send } = await warmSession();
    const before = JSON.stringify(session.view.accounting());
    const fork = await session.fork({ source: "try" });
    await fork.append("Something else.");
    await send(fork);
    await fork.history.replace({ from: 2, to: 2 }, [], "not needed here");
    expect(JSON.stringify(session.view.accounting())).toBe(before);
    await session.append("Go on.");
    const { recorded } = await send(session);
    expect(recorded.usage.cacheReadTokens).toBeGreaterThan(100_000);
    expect((await session.ledger.cost()).breaks).toEqual([]);
  });

  test("with an id can be opened again and recalls its parent's entries", async () => {
    const { session, send, options } = await warmSession();
    const fork = await session.fork({ source: "agent", id: "child" });
    const begin = fork.history.newestEntry;
    await fork.append("Something of its own.");
    const { request } = await send(fork);
    const expected = JSON.stringify(request.messages);
    await fork.close();
    await session.append("The parent goes on.");
    const again = await openSession({ ...options, id: "child" });
    await again.history.rewind(again.history.newestEntry - 2);
    expect(JSON.stringify((await again.prepare()).messages)).toBe(expected);
    await expect(again.history.rewind(2)).rejects.toThrow(NoSuchEntryError);
    await again.history.rewind(begin - 1);
    const found = await again.recall({ search: "own" });
    expect(found).toMatchObject({ kind: "entries", hits: [{ sequence: begin + 1 }] });
    expect(await again.recall({ entry: 2 })).toMatchObject({ kind: "text", text: expect.stringContaining("one one") });
    await again.close();
    const elsewhere = memoryStore({ leaseMs: 0 });
    await copyLog(options.store, elsewhere, "child");
    await expect(openSession({ ...options, store: elsewhere, id: "child" })).rejects.toThrow(SessionLostError);
  });

  test("refuses tools without changing their list", async () => {
    const script: Script = ({ turn }) =>
      turn === 3 ? callTools(callTool("look", { at: 1 })) : answer("Then without it.");
    const { session, send } = await warmSession(script);
    const fork = await session.fork({ source: "reader", allowedTools: [] });
    await fork.append("Look there.");
    const { request, recorded } = await send(fork);
    expect(request.tools).toHaveLength(1);
    expect(recorded.calls).toEqual([]);
    expect(recorded.refusedCalls).toMatchObject([{ name: "look" }]);
    // The refused call already has a result, so the next request works.
    await expect(send(fork)).resolves.toMatchObject({ recorded: { text: "Then without it." } });
  });

  test("may use its allowed tools", async () => {
    const script: Script = ({ turn }) => (turn === 3 ? callTools(callTool("look", { at: 1 })) : answer("Seen."));
    const { session, send } = await warmSession(script);
    const fork = await session.fork({ source: "reader", allowedTools: ["look"] });
    await fork.append("Look there.");
    const { recorded } = await send(fork);
    expect(recorded.calls).toHaveLength(1);
    await fork.append(toolResult(recorded.calls[0]!.id, "Nothing."));
    await expect(send(fork)).resolves.toMatchObject({ recorded: { text: "Seen." } });
  });

  test("cannot be forked, and ends with its parent", async () => {
    const { session } = await warmSession();
    const controller = new AbortController();
    const options: ForkOptions = { source: "agent", signal: controller.signal };
    const [one, other] = [await session.fork(options), await session.fork({ source: "agent" })];
    await expect(one.fork({ source: "deeper" })).rejects.toThrow(ForkError);
    controller.abort();
    expect([one.signal.aborted, other.signal.aborted, session.signal.aborted]).toEqual([true, false, false]);
    await session.close();
    expect(other.signal.aborted).toBe(true);
  });

  test("writes nothing if its question is aborted", async () => {
    const { session } = await warmSession();
    const newest = session.history.newestEntry;
    await expect(session.ask("What?", { source: "x", signal: AbortSignal.abort() })).rejects.toThrow();
    expect(session.history.newestEntry).toBe(newest);
  });
});

async function copyLog(from: Store, to: Store, session: string): Promise<void> {
  const lines = exportLog((await from.openReader(session))!);
  const opened = await to.openWriter(session, { owner: "test" });
  if (opened.kind === "opened") await importLog(opened.writer, lines);
}
