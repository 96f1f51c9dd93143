import { callTool, callTools } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import type { ClearRule } from "../policy/policy.ts";
import { whenCold } from "../policy/rules/clear.ts";
import type { WindowState } from "../policy/window-state.ts";
import { openJudged } from "./testing/judged-session.ts";
import { clearingBy } from "./testing/policies.ts";

const MINUTE_MS = 60_000;

/** A session whose policy keeps the windows that it is asked about. */
async function watching(...others: readonly ClearRule[]) {
  const seen: WindowState[] = [];
  const originals: WindowState[] = [];
  const watch: ClearRule = {
    name: "watch",
    propose(state) {
      originals.push(state);
      // Some fields are computed when they are read, and the conversation continues.
      seen.push({ ...state, turn: { ...state.turn } });
      return undefined;
    },
  };
  const policy = clearingBy(watch, ...others);
  const opened = await openJudged({ policy, model: "claude-sonnet-4-6", system: "You are careful. ".repeat(400) });
  /** The window before the next request. */
  const next = async (): Promise<WindowState> => {
    await opened.session.prepare();
    return seen.at(-1)!;
  };
  /** The same in a cold cache, where the rules are always asked. */
  const nextAfterPause = async (text: string): Promise<WindowState> => {
    opened.clock.advance(6 * MINUTE_MS);
    await opened.session.append(text);
    return next();
  };
  return { opened, seen, originals, next, nextAfterPause };
}

describe("a window", () => {
  test("has the limits and the kind of the model", async () => {
    const { opened, next } = await watching();
    await opened.session.append("Hello.");
    const { model, window, turn, cache, history, results, marks } = await next();
    expect(model).toMatchObject({ id: "claude-sonnet-4-6", thinking: "free", cacheLifetimes: ["5m", "1h"] });
    const { windowTokens, usableTokens, hardLimitTokens } = opened.session.view.size();
    expect(window).toMatchObject({ tokens: windowTokens, usableTokens: usableTokens, source: "known" });
    expect(window.hardLimitTokens).toBe(hardLimitTokens);
    expect(turn).toMatchObject({ status: "starting", rounds: 0, pendingCalls: [] });
    expect(cache).toEqual({ status: "new", idleMs: 0, segments: [], keptWarm: false });
    expect(history).toMatchObject({ turns: 1, compactions: 0, lastCompaction: undefined, callsLeft: 8 });
    expect([results, marks]).toEqual([[], {}]);
  });

  test("has sizes close to those that the provider reports", async () => {
    const { opened, nextAfterPause } = await watching();
    await opened.session.append("Read them all.");
    await opened.read(6);
    await opened.ask();
    const { size, results } = await nextAfterPause("Go on.");
    const [line] = (await Array.fromAsync(opened.session.ledger.lines())).slice(-1);
    const reported = line!.freshTokens + line!.cacheReadTokens + line!.cacheWriteTokens;
    expect(size.tokens / reported).toBeGreaterThan(1);
    expect(size.tokens / reported).toBeLessThan(1.1);
    expect(size.headTokens).toBeGreaterThan(1_000);
    expect(size.bytes).toBeGreaterThan(size.tokens);
    const resultTokens = results.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(resultTokens).toBeLessThan(size.tokens - size.headTokens);
    expect(resultTokens).toBeGreaterThan(0.8 * (size.tokens - size.headTokens));
    const ends = results.map(({ beforeTokens, tokens }) => beforeTokens + tokens);
    expect(results[0]!.beforeTokens).toBeGreaterThan(size.headTokens);
    expect(ends.at(-1)!).toBeLessThan(size.tokens);
    for (let at = 1; at < results.length; at++) expect(results[at]!.beforeTokens).toBeGreaterThanOrEqual(ends[at - 1]!);
  });

  test("is frozen, and builds the list of results once", async () => {
    const { opened, originals, nextAfterPause } = await watching();
    await opened.session.append("Read them all.");
    await opened.read(2);
    await opened.ask();
    await nextAfterPause("Go on.");
    const state = originals.at(-1)!;
    expect(state.results).toBe(state.results);
    const { size, window, cache, history, turn, prices, marks, results } = state;
    const parts: readonly object[] = [
      ...[state, size, window, cache, cache.segments, history, turn, prices, marks, results],
      ...[...cache.segments, ...results],
    ];
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true);
    expect(typeof Object.getOwnPropertyDescriptor(state, "results")?.get).toBe("function");
    expect(() => Object.assign(state.size, { tokens: 0 })).toThrow(TypeError);
    expect(() => (state.results as unknown[]).push("more")).toThrow(TypeError);
  });

  test("knows the open calls and the rounds of a turn", async () => {
    const { opened, seen } = await watching();
    await opened.session.append("Read them.");
    await opened.read(2);
    const ids = await opened.ask(callTools(callTool("Read", {}), callTool("Read", {})));
    await opened.session.append(toolResult(ids[0]!, "content ".repeat(2_000)));
    opened.clock.advance(6 * MINUTE_MS);
    await opened.session.prepare();
    expect(seen.at(-1)!.turn).toMatchObject({ status: "open", rounds: 3, pendingCalls: [ids[1]] });
  });

  test("knows results whose content the model asked for again", async () => {
    const { opened, nextAfterPause } = await watching(whenCold({ keepNewest: 1 }));
    await opened.session.append("Read them all.");
    await opened.read(3);
    await opened.ask();
    await nextAfterPause("Go on.");
    const [id] = await opened.ask(callTools(callTool("Read", { file_path: "0.ts" })));
    await opened.session.append(toolResult(id!, "content again ".repeat(300)));
    await opened.ask();
    const { results } = await nextAfterPause("And now?");
    expect(results.map(({ path, shown, askedAgain }) => [path, shown, askedAgain])).toEqual([
      ["0.ts", "cleared", false],
      ["1.ts", "cleared", false],
      ["2.ts", "cleared", false],
      ["0.ts", "whole", true],
    ]);
  });
});

describe("the segments of the cache", () => {
  test("end where the newest requests ended, and expire with their lifetime", async () => {
    const { opened, seen } = await watching();
    await opened.session.append("word ".repeat(3_000));
    await opened.ask();
    const [line] = (await Array.fromAsync(opened.session.ledger.lines())).slice(-1);
    const sentAtMs = opened.clock.now();
    opened.clock.advance(MINUTE_MS);
    await opened.session.append("word ".repeat(3_000));
    await opened.session.prepare();
    const { cache, size } = seen.at(-1)!;
    expect(cache).toMatchObject({ status: "warm", idleMs: MINUTE_MS });
    const [head, conversation] = cache.segments;
    expect(head).toMatchObject({ name: "head", endTokens: size.headTokens, status: "warm" });
    expect(conversation).toMatchObject({ name: "conversation", expiresAtMs: sentAtMs + 5 * MINUTE_MS, status: "warm" });
    const reported = line!.freshTokens + line!.cacheReadTokens + line!.cacheWriteTokens;
    expect(conversation!.endTokens / reported).toBeGreaterThan(0.9);
    expect(conversation!.endTokens / reported).toBeLessThan(1.1);
  });

  test("end before the first change that no request has contained", async () => {
    const { opened, seen } = await watching();
    await opened.session.append("Read them all.");
    await opened.read(4);
    await opened.ask();
    const results = (await opened.entries()).filter(
      (read) => read.kind === "message" && read.payload.origin === "tool",
    );
    const stub = { role: "user", origin: "tool", blocks: [{ kind: "text", text: "[Gone.]" }] } as const;
    const { sequence } = results[2]!;
    await opened.session.history.replace({ from: sequence, to: sequence }, [stub], "a test");
    await opened.session.append("word ".repeat(3_000));
    await opened.session.prepare();
    const { cache, results: shown } = seen.at(-1)!;
    expect(cache.status).toBe("warm");
    const ends = cache.segments.filter(({ name }) => name === "conversation").map(({ endTokens }) => endTokens);
    for (const end of ends) expect(end).toBeLessThanOrEqual(shown[1]!.beforeTokens + shown[1]!.tokens);
  });
});
