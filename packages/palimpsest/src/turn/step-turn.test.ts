import { setImmediate } from "node:timers/promises";
import {
  answer,
  callTool,
  callTools,
  inOrder,
  type Reply,
  type Script,
  stallStream,
} from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { createHooks } from "../hooks/run.ts";
import { attachment, commandOutput } from "../log/messages.ts";
import type { Tool } from "../schema/tool.ts";
import { openSession } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import type { SessionOptions } from "../state/options.ts";
import { exportLog, importLog } from "../stores/export-log.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { QueryEvent } from "./permission.ts";
import { query, type StepOptions, stepTurn } from "./query.ts";
import type { TurnStep } from "./step.ts";
import { type OpenedWorld, openWorld, runTurn } from "./testing/open-world.ts";

interface Stepping extends OpenedWorld {
  readonly store: ReturnType<typeof memoryStore>;
  /** Opens the session in another process. */
  again(): Promise<Session>;
}

async function open(
  script: Script,
  options: Partial<SessionOptions<unknown, unknown, unknown>> = {},
): Promise<Stepping> {
  const store = memoryStore({ leaseMs: 0 });
  const opened = await openWorld(script, "Anthropic", { store, ...options });
  const { provider, model, clock } = opened;
  const again = () => openSession({ store, id: "s", provider, model, clock, takeover: "always", ...options });
  return { ...opened, store, again };
}

async function step(
  session: Session,
  options: StepOptions = {},
  watch: (event: QueryEvent) => void = () => {},
): Promise<TurnStep & { readonly events: readonly QueryEvent[] }> {
  const events: QueryEvent[] = [];
  const turn = stepTurn(session, { tools: TOOLS, ...options });
  for (;;) {
    const { done, value } = await turn.next();
    if (done === true) return { ...value, events };
    events.push(value);
    watch(value);
  }
}

const input = { type: "object" };
const runs: string[] = [];
const toolOf = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: input,
  execute: (_, { key }) => {
    runs.push(`${name} ${key}`);
    return `${name} done`;
  },
  ...more,
});
const TOOLS = [
  toolOf("look", { repeat: "free", concurrency: "safe" }),
  toolOf("pay", { repeat: "by-key" }),
  toolOf("send"),
];
const calls = (...names: readonly string[]): Reply => callTools(...names.map((name) => callTool(name, { of: name })));
const repeatResults: Script = ({ toolResults }) => answer(toolResults.map(({ text }) => text).join("; ") || "Nothing.");
const later = { permission: () => ({ kind: "later", reason: "It costs money." }) as const };
const stepsOf = (session: Session) => {
  const next = session.turn.next();
  return next.kind === "calls" ? next.calls.map(({ call, step }) => `${call.name} ${step}`) : next.kind;
};
const callsOf = (session: Session) => {
  const next = session.turn.next();
  return next.kind === "calls" ? next.calls : [];
};
const hows = (events: readonly QueryEvent[]) =>
  events.flatMap((event) => (event.kind === "tool-ended" ? [`${event.call.name} ${event.how}`] : []));

test("takes each step in another process: a request, calls in groups, a request, nothing", async () => {
  const opened = await open(inOrder([calls("look", "look", "send")], repeatResults));
  expect(opened.session.turn.next()).toMatchObject({ kind: "nothing", text: "" });
  await opened.session.append("Go.");
  expect(stepsOf(await opened.again())).toBe("request");
  expect(await step(await opened.again())).toMatchObject({ kind: "responded", rounds: 1 });
  expect(stepsOf(await opened.again())).toEqual(["look asked", "look asked", "send asked"]);
  expect(await step(await opened.again())).toMatchObject({ kind: "ran", calls: 2, rounds: 0 });
  expect(await step(await opened.again())).toMatchObject({ kind: "ran", calls: 1 });
  expect(stepsOf(await opened.again())).toBe("request");
  expect(await step(await opened.again())).toMatchObject({ kind: "done", text: "look done; look done; send done" });
  const last = await opened.again();
  expect(last.turn.next()).toMatchObject({ kind: "nothing", text: "look done; look done; send done", stop: "end" });
  // A step without work writes nothing.
  const { newestEntry } = last.history;
  expect(await step(last)).toMatchObject({ kind: "done", rounds: 0 });
  expect(last.history.newestEntry).toBe(newestEntry);
});

test("answers open calls if the consumer stops after the end of a step", async () => {
  const { session } = await open(inOrder([calls("send")]));
  await session.append("Go.");
  const turn = stepTurn(session, { tools: TOOLS });
  await turn.next();
  // The step ends while the consumer does not read.
  await expect.poll(() => stepsOf(session)).toEqual(["send asked"]);
  await setImmediate();
  await turn.return(undefined as never);
  expect(session.view.openCalls()).toEqual([]);
});

test("begins a turn with a prompt and not with other content", async () => {
  const { session } = await open(() => answer("Yes."));
  await session.append([attachment("reminder", "Be brief."), commandOutput("total 0")]);
  expect(stepsOf(session)).toBe("nothing");
  await session.append(attachment("mail", "Answer me."), { answer: "wanted" });
  expect(stepsOf(session)).toBe("request");
  expect(await step(session)).toMatchObject({ kind: "done", text: "Yes." });
  expect(await session.turn.takeIn({ queue: "q", number: 4, content: attachment("mail", "And me.") })).toBe("taken");
  expect(stepsOf(session)).toBe("request");
});

describe("a call that a lost process has begun", () => {
  const slow = (name: string, repeat: Tool["repeat"]): Tool =>
    toolOf(name, { ...(repeat && { repeat }), execute: () => new Promise(() => undefined) });

  test.each([
    ["never", undefined, ["send unknown"], /^The outcome of this call is unknown/],
    ["free", "free", ["send ran"], /^send done$/],
    ["by-key", "by-key", ["send ran"], /^send done$/],
  ] as const)("%s", async (_, repeat, expected, text) => {
    const opened = await open(inOrder([calls("send")], repeatResults));
    await opened.session.append("Go.");
    await step(opened.session);
    const [key] = callsOf(opened.session).map((one) => one.key);
    const left = new AbortController();
    const { kind, events } = await step(
      opened.session,
      { tools: [slow("send", repeat)], left: left.signal },
      (event) => {
        if (event.kind === "tool-started") setTimeout(() => left.abort(), 5);
      },
    );
    expect(kind).toBe("left");
    expect(hows(events)).toEqual([]);
    const next = await opened.again();
    expect(stepsOf(next)).toEqual([repeat === undefined ? "send begun" : "send asked"]);
    runs.length = 0;
    const again = await step(next, { tools: [toolOf("send", repeat && { repeat })] });
    expect(hows(again.events)).toEqual(expected);
    expect(runs).toEqual(repeat === undefined ? [] : [`send ${key}`]);
    expect(await step(next)).toMatchObject({ kind: "done", text: expect.stringMatching(text) });
  });
});

describe("permission later", () => {
  test("ends the turn with the call open, runs other calls, and lets any process answer", async () => {
    const opened = await open(inOrder([calls("pay", "look", "send")], repeatResults));
    await opened.session.append("Go.");
    await step(opened.session);
    const permission: StepOptions["permission"] = ({ call }) =>
      call.name === "look" ? { kind: "allow" } : { kind: "later", reason: "It costs money." };
    for (let count = 0; count < 3; count++) await step(await opened.again(), { permission });
    const waiting = await opened.again();
    expect(stepsOf(waiting)).toEqual(["pay waiting", "send waiting"]);
    const question = { sessionId: "s", tool: "pay", input: { of: "pay" }, reason: "It costs money." };
    expect(await step(waiting, { permission })).toMatchObject({
      kind: "waiting",
      questions: [question, { tool: "send" }],
    });
    expect(opened.sent()).toHaveLength(1);
    const [pay, send] = callsOf(waiting).map(({ call }) => call.id);
    expect(await waiting.turn.decide(pay!, { kind: "allow", by: "Ada" })).toBe("recorded");
    expect(await waiting.turn.decide(pay!, { kind: "deny", by: "Bob", reason: "no" })).toBe("not-waiting");
    expect(await waiting.turn.decide("unknown", { kind: "allow" })).toBe("not-waiting");
    expect(await step(await opened.again(), later)).toMatchObject({ kind: "ran", calls: 1 });
    const denying = await opened.again();
    await denying.turn.decide(send!, { kind: "deny", by: "Bob", reason: "not today" });
    expect(hows((await step(denying, later)).events)).toEqual(["send denied"]);
    const done = await step(denying, later);
    expect(done).toMatchObject({ text: "pay done; look done; This call was not allowed: not today" });
  });

  test("runs the input that the question showed, even after a hook changed it", async () => {
    const hooks = createHooks([{ event: "PreToolUse", run: () => ({ newToolInput: { of: "changed" } }) }]);
    const opened = await open(inOrder([calls("pay")], repeatResults), { hooks });
    await opened.session.append("Go.");
    await step(opened.session);
    await step(opened.session, later);
    expect(await step(opened.session, later)).toMatchObject({ questions: [{ input: { of: "changed" } }] });
    const next = await opened.again();
    await next.turn.decide(callsOf(next)[0]!.call.id, { kind: "allow", by: "Ada" });
    const inputs: unknown[] = [];
    const tools = [toolOf("pay", { execute: (given) => String(inputs.push(given)) })];
    await step(next, { tools, ...later });
    expect(inputs).toEqual([{ of: "changed" }]);
  });

  test("ends a query with the questions, and continues after the answers", async () => {
    const opened = await open(inOrder([calls("pay")], repeatResults));
    const { session, clock } = opened;
    const outcome = await runTurn(query(session, { prompt: "Go.", tools: TOOLS, ...later }), clock);
    expect(outcome).toMatchObject({ kind: "waiting", rounds: 1, questions: [{ tool: "pay" }] });
    await session.turn.decide(callsOf(session)[0]!.call.id, { kind: "allow" });
    expect(await runTurn(query(session, { tools: TOOLS, ...later }), clock)).toMatchObject({ text: "pay done" });
  });

  async function waiting(
    script = inOrder([calls("pay")], repeatResults),
  ): Promise<Stepping & { readonly callId: string }> {
    const opened = await open(script);
    await opened.session.append("Go.");
    await step(opened.session);
    await step(opened.session, later);
    expect(stepsOf(opened.session)).toEqual(["pay waiting"]);
    return { ...opened, callId: callsOf(opened.session)[0]!.call.id };
  }

  test("takes a new user message as the answer, and no other content", async () => {
    const { session, callId, sent } = await waiting();
    await session.append(attachment("mail", "Hello."), { answer: "wanted" });
    expect(await step(session, later)).toMatchObject({ kind: "waiting" });
    await session.append("Never mind.");
    expect(stepsOf(session)).toEqual(["pay superseded"]);
    expect(await session.turn.decide(callId, { kind: "allow" })).toBe("not-waiting");
    expect(hows((await step(session, later)).events)).toEqual(["pay not-run"]);
    expect(await step(session)).toMatchObject({ kind: "done", text: expect.stringContaining("said something else") });
    expect(JSON.stringify(sent().at(-1)!.body)).toContain("Never mind.");
  });

  test("takes a prompt of query() as the answer", async () => {
    const { session, clock } = await waiting();
    const outcome = await runTurn(query(session, { prompt: "Never mind.", tools: TOOLS }), clock);
    expect(outcome).toMatchObject({ kind: "done", text: expect.stringContaining("said something else") });
  });

  test("keeps the question in view after a compaction", async () => {
    const script: Script = (ask) => {
      if (JSON.stringify(ask.request).includes("<summary>"))
        return answer("<summary>Questions were answered.</summary>");
      return ask.toolResults.length > 0 ? repeatResults(ask) : calls("pay");
    };
    const opened = await open(script);
    const { session, again } = opened;
    for (let n = 0; n < 12; n++) {
      const said = {
        role: "assistant",
        origin: "model",
        blocks: [{ kind: "text", text: `Answer ${n}: ${"lorem ipsum ".repeat(400)}` }],
      } as const;
      await session.append([`Question ${n}.`, said]);
    }
    await session.append("Go.");
    await step(session);
    await step(session, later);
    const before = session.view.size().tokens;
    expect(await session.compact()).toMatchObject({ kind: "compacted" });
    expect(session.view.size().tokens).toBeLessThan(before / 2);
    expect(stepsOf(session)).toEqual(["pay waiting"]);
    const next = await again();
    expect(stepsOf(next)).toEqual(["pay waiting"]);
    await next.turn.decide(callsOf(next)[0]!.call.id, { kind: "allow" });
    await step(next);
    expect(await step(next)).toMatchObject({ kind: "done", text: "pay done" });
  });

  test("opens the question again after a rewind, unless the call had begun", async () => {
    const { session, callId } = await waiting(inOrder([calls("pay"), calls("send")], repeatResults));
    const asked = session.history.newestEntry;
    await session.append("Never mind.");
    await session.history.rewind(asked);
    expect(stepsOf(session)).toEqual(["pay waiting"]);
    await session.turn.decide(callId, { kind: "allow" });
    await step(session);
    expect(await step(session)).toMatchObject({ kind: "responded" });
    const second = session.history.newestEntry;
    await step(session);
    await session.history.rewind(second);
    expect(stepsOf(session)).toEqual(["send begun"]);
    expect(hows((await step(session)).events)).toEqual(["send unknown"]);
  });

  test("does not run the parent's calls in a fork", async () => {
    const { session } = await waiting();
    const fork = await session.fork({ source: "side", id: "fork" });
    expect(stepsOf(fork)).toEqual(["pay elsewhere"]);
    expect(hows((await step(fork)).events)).toEqual(["pay not-run"]);
    expect(stepsOf(session)).toEqual(["pay waiting"]);
  });

  test("does not run the call after any process has stopped the turn", async () => {
    const { again, callId } = await waiting();
    const next = await again();
    expect(await next.turn.stop({ by: "Ada", reason: "changed my mind" })).toMatchObject([{ how: "not-run" }]);
    expect(await next.turn.decide(callId, { kind: "allow" })).toBe("not-waiting");
    expect(stepsOf(await again())).toBe("nothing");
    expect(await next.turn.stop()).toEqual([]);
  });

  test("an imported log knows of it", async () => {
    const { store, provider, model, clock } = await waiting();
    const reader = (await store.openReader("s"))!;
    const copies = memoryStore({ leaseMs: 0 });
    const opened = await copies.openWriter("s", { owner: "import" });
    if (opened.kind !== "opened") throw new Error("a new log is free");
    await importLog(opened.writer, await Array.fromAsync(exportLog(reader)));
    const copy = await openSession({ store: copies, id: "s", provider, model, clock, takeover: "always" });
    expect(stepsOf(copy)).toEqual(["pay waiting"]);
  });
});

test("keeps a turn open after a compaction", async () => {
  const opened = await open(inOrder([calls("look")], repeatResults));
  await opened.session.append("Go.");
  await step(opened.session);
  await step(opened.session);
  const { session } = opened;
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "All of it." }] } as const;
  await session.history.fold({ from: 1, to: session.history.newestEntry }, [summary], "test");
  expect(stepsOf(await opened.again())).toBe("request");
  expect(await step(await opened.again())).toMatchObject({ kind: "done" });
});

describe("stopping and leaving", () => {
  test("ends the turn for every process if it is stopped between two steps", async () => {
    const opened = await open(inOrder([calls("send", "pay")], repeatResults));
    await opened.session.append("Go.");
    await step(opened.session);
    const { kind, events } = await step(opened.session, { signal: AbortSignal.abort("enough") });
    expect(kind).toBe("aborted");
    expect(hows(events)).toEqual(["send not-run", "pay not-run"]);
    expect(stepsOf(await opened.again())).toBe("nothing");
    expect((await Array.fromAsync(opened.session.history.export())).join()).toContain("enough");
  });

  test("throws an error of a step and keeps the turn open", async () => {
    const opened = await open(inOrder([answer("Yes.")]));
    await opened.session.append("Go.");
    const away = async (): Promise<never> => Promise.reject(new Error("the store is away"));
    await expect(step({ ...opened.session, prepare: away })).rejects.toThrow("the store is away");
    expect(stepsOf(opened.session)).toBe("request");
    expect(await step(await opened.again())).toMatchObject({ kind: "done", text: "Yes." });
  });

  test("writes nothing after leaving during an answer, and sends the same request again", async () => {
    const long = answer("I was about to say this. ".repeat(20));
    const opened = await open(inOrder([{ ...long, fault: stallStream(6, 60_000) }], () => answer("Yes.")));
    await opened.session.append("Go.");
    const left = new AbortController();
    const { kind } = await step(opened.session, { left: left.signal }, (event) => {
      if (event.kind === "text") left.abort();
    });
    expect(kind).toBe("left");
    const { newestEntry } = opened.session.history;
    const next = await opened.again();
    expect(next.history.newestEntry).toBe(newestEntry);
    expect(await step(next)).toMatchObject({ kind: "done", text: "Yes." });
    const [first, second] = opened.sent();
    expect(second!.body).toEqual(first!.body);
  });

  test("does not log the stream of a tool after leaving", async () => {
    const opened = await open(inOrder([calls("look")], repeatResults));
    await opened.session.append("Go.");
    await step(opened.session);
    const left = new AbortController();
    async function* endless(): AsyncGenerator<string> {
      yield "half";
      left.abort();
      await new Promise(() => undefined);
    }
    const tools = [toolOf("look", { repeat: "free", execute: endless })];
    expect(await step(opened.session, { tools, left: left.signal })).toMatchObject({ kind: "left" });
    expect(stepsOf(await opened.again())).toEqual(["look asked"]);
  });
});

test("appends an item of a queue once, even after a rewind and a compaction", async () => {
  const { session, again } = await open(() => answer("Yes."));
  const item = (number: number) => ({ queue: "mail", number, content: `Message ${number}.` });
  const before = session.history.newestEntry;
  expect(await session.turn.takeIn(item(1))).toBe("taken");
  expect(await session.turn.takeIn(item(1))).toBe("known");
  expect(await session.turn.takeIn({ ...item(1), queue: "other" })).toBe("taken");
  await session.history.rewind(before);
  expect(await session.turn.takeIn(item(1))).toBe("known");
  expect(await session.turn.takeIn(item(2))).toBe("taken");
  expect(await (await again()).turn.takeIn(item(2))).toBe("known");
  await expect(session.turn.takeIn({ ...item(3), number: 0 })).rejects.toThrow("at least 1");
});

test("charges the usage of a queue item once, and returns the trace of the newest item", async () => {
  const { session, again } = await open(() => answer("Yes."));
  const tokens = { freshTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };
  const used = [{ responseId: "r", model: "claude-opus-5-5", source: "agent", ...tokens }];
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  expect(await session.turn.taken("mail")).toBeUndefined();
  const item = { queue: "mail", number: 1, content: [], used, traceparent };
  expect([await session.turn.takeIn(item), await session.turn.takeIn(item)]).toEqual(["taken", "known"]);
  expect(session.turn.next().kind).toBe("nothing");
  const after = await again();
  expect(await after.turn.takeIn(item)).toBe("known");
  expect(await after.turn.taken("mail")).toEqual({ number: 1, traceparent });
  const { bySource } = await after.ledger.cost();
  expect(bySource["agent"]).toMatchObject({ responses: 1, outputTokens: 10 });
  expect(bySource["agent"]!.priceUsd).toBeGreaterThan(0);
});

test("does not run calls of a cut answer in another process, and continues the answer", async () => {
  const cut: Reply = { words: [callTool("send", {})], stop: "output-limit" };
  const half: Reply = { ...answer("The first half, "), stop: "output-limit" };
  const opened = await open(inOrder([cut, half], () => answer("the second.")));
  await opened.session.append("Go.");
  await step(opened.session);
  expect(stepsOf(await opened.again())).toEqual(["send cut"]);
  expect(hows((await step(await opened.again())).events)).toEqual(["send not-run"]);
  await step(await opened.again());
  expect((await opened.again()).turn.next()).toMatchObject({ kind: "request", answer: "cut", cuts: 2 });
  expect(await step(await opened.again())).toMatchObject({ kind: "done", text: "The first half, the second." });
});
