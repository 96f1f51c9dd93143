import { answer, callTool, callTools, createAnthropic, manualClock, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { type AnthropicRequest, anthropic } from "../providers/anthropic.ts";
import { type Provider, ProviderError, type StreamPart } from "../providers/provider.ts";

import { readStream } from "../providers/stream.ts";
import { anthropicInProcess } from "../providers/testing/worlds.ts";
import { openWith } from "../session/open.ts";
import type { SessionEvent } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { CALL_LIMITS, type CallLimits } from "./summary/model-calls.ts";

/** Sessions in which one guard alone stands between the session and its end. */

const MODEL = "claude-opus-5-5";
const asksForSummary = (text: string): boolean => text.includes("<summary> block");
const TOOLS = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];

interface World {
  readonly script: Script;
  readonly windowTokens: number;
  readonly settings?: Partial<Settings>;
  readonly limits?: Partial<CallLimits>;
  readonly clock?: ReturnType<typeof manualClock>;
  /** What a service that knows better refuses, whatever the simulator would say. */
  readonly refuses?: (body: string) => boolean;
  /** Takes the place of what the provider streams, where it wants to. */
  readonly stream?: (
    request: AnthropicRequest,
    signal: AbortSignal | undefined,
  ) => AsyncGenerator<StreamPart> | undefined;
}

async function open({ script, windowTokens, settings = {}, limits = {}, clock, refuses = () => false, stream }: World) {
  const refusal = { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } };
  const client = anthropicInProcess(createAnthropic({ script }), (body) =>
    refuses(body) ? Response.json(refusal, { status: 400 }) : undefined,
  );
  const real = anthropic(client, { models: { [MODEL]: { windowTokens } } });
  const provider: typeof real = {
    ...real,
    send: (request, options) =>
      (stream?.(request, options?.signal) as ReturnType<Provider<AnthropicRequest>["send"]> | undefined as never) ??
      real.send(request, options),
  };
  const events: SessionEvent[] = [];
  const wanted = {
    store: memoryStore(),
    provider,
    model: MODEL,
    tools: TOOLS,
    settings,
    settingsFrom: { environment: {} },
    ...(clock === undefined ? {} : { clock }),
    onEvent: (event: SessionEvent) => void events.push(event),
  };
  const session = await openWith(wanted, { ...CALL_LIMITS, ...limits });
  const send = async () => {
    const request = await session.prepare();
    return session.record(await readStream(provider.send(request)), request);
  };
  return { session, send, events };
}

test("after three failures in a row no model is asked for a summary, however often one is due in that turn", async () => {
  let asked = 0;
  const script: Script = ({ userText }) => {
    if (!asksForSummary(userText)) return callTools(callTool("look", {}));
    asked++;
    return answer("I cannot do that.");
  };
  // As many calls as anyone wants: the breaker is what ends it.
  const settings: Partial<Settings> = { profile: "quality" };
  const limits = { maxCalls: 10_000, deadlineMs: 3_600_000 };
  const clock = manualClock();
  const { session, send, events } = await open({ script, windowTokens: 24_000, settings, limits, clock });
  await session.append("Look at everything.");
  const askedAfter: number[] = [];
  for (let round = 0; askedAfter.length < 7 && round < 200; round++) {
    const before = (await session.history.explain()).length;
    const { calls } = await send();
    for (const { id } of calls) await session.append(toolResult(id, "part ".repeat(2_000)));
    if ((await session.history.explain()).length > before) askedAfter.push(asked);
  }
  expect(askedAfter).toHaveLength(7);
  expect(askedAfter[2]).toBeGreaterThan(0);
  expect(askedAfter.at(-1)).toBe(askedAfter[2]);
  // The host is told when it happens, and only then.
  const tripped = events.filter(({ kind }) => kind === "breaker-tripped");
  expect(tripped).toMatchObject([{ of: "compaction", failures: 3 }]);
});

test("calls that brought no summary count until the user speaks, over all compactions of a turn", async () => {
  let asked = 0;
  const script: Script = ({ userText }) => {
    if (!asksForSummary(userText)) return callTools(callTool("look", {}));
    asked++;
    return answer("I cannot do that.");
  };
  const settings: Partial<Settings> = { profile: "quality" };
  const limits = { maxCalls: 3 };
  const { session, send } = await open({ script, windowTokens: 24_000, settings, limits, clock: manualClock() });
  const askedAfter: number[] = [];
  const compact = async (times: number): Promise<void> => {
    for (let round = 0, done = 0; done < times && round < 200; round++) {
      const before = (await session.history.explain()).length;
      const { calls } = await send();
      for (const { id } of calls) await session.append(toolResult(id, "part ".repeat(2_000)));
      if ((await session.history.explain()).length === before) continue;
      done++;
      askedAfter.push(asked);
    }
  };
  await session.append("Look at everything.");
  await compact(4);
  expect(askedAfter[0]).toBeLessThan(3);
  expect(askedAfter.slice(1)).toEqual([3, 3, 3]);
});

test("a model that says a word now and then, for ever, is given up at the deadline", async () => {
  const clock = manualClock();
  let words = 0;
  async function* trickle(signal: AbortSignal | undefined): AsyncGenerator<StreamPart> {
    while (words < 5_000 && signal?.aborted !== true) {
      words++;
      yield { kind: "text", text: "word " };
      // Sooner than a stall, each time.
      clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new ProviderError("anthropic", { kind: "broken-stream" }, "given up");
  }
  const { session, send } = await open({
    script: () => answer("Done."),
    windowTokens: 50_000,
    limits: { deadlineMs: 120_000 },
    clock,
    stream: (request, signal) => (asksForSummary(JSON.stringify(request)) ? trickle(signal) : undefined),
  });
  for (let round = 0; round < 8; round++) {
    await session.append(`Message ${round}: ${"word ".repeat(1_000)}`);
    await send();
  }
  expect(await session.compact()).toMatchObject({ kind: "compacted", summary: { way: "none" } });
  // 120 seconds at 5 seconds a word, and what is under way.
  expect(words).toBeLessThan(60);
  // It has had its time: until the user speaks, the next compaction does without it.
  const [entry, before] = [{ role: "assistant", origin: "host" } as const, words];
  for (let piece = 0; piece < 8; piece++) {
    await session.append({ ...entry, blocks: [{ kind: "text", text: `Piece ${piece}: ${"word ".repeat(1_000)}` }] });
  }
  expect(await session.compact()).toMatchObject({ kind: "compacted", summary: { way: "none" }, modelCalls: 0 });
  expect(words).toBe(before);
});

test("a service that refuses far below the window it claims is met with less and less, until it takes it", async () => {
  const most = 8_000;
  const { session, send } = await open({
    script: ({ userText }) => answer(asksForSummary(userText) ? "I cannot do that." : "Done."),
    windowTokens: 200_000,
    settings: { profile: "quality" },
    refuses: (body) => body.length > most,
  });
  for (let round = 0; round < 60; round++) {
    await session.append(`Message ${round}: ${`word${round} `.repeat(400)}`);
  }
  let refusals = 0;
  for (let tries = 0; tries < 8; tries++) {
    try {
      await send();
      break;
    } catch (error) {
      refusals++;
      const recovery = await session.recover(error);
      expect(recovery).toMatchObject({ kind: "retry" });
    }
  }
  expect(refusals).toBeGreaterThan(1);
  await session.append("And now?");
  await send();
});
