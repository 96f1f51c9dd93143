import { describe, expect, onTestFinished, test } from "vitest";
import { readPayload } from "../log/entry.ts";
import { coding } from "../presets/coding.ts";
import { type AnthropicRequest, type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import type { SyncMessage } from "../session/sync/conversation.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { readEntries } from "../stores/read.ts";
import type { Store } from "../stores/store.ts";
import { type AdapterCall, beginAdapterCall } from "./call.ts";
import { createAdapterSessions } from "./sessions.ts";

const MODEL = "claude-opus-5-5";
const user = (content: string): SyncMessage => ({ role: "user", content });
const assistant = (content: string): SyncMessage => ({ role: "assistant", content });

/** A process with an adapter and no service: the test supplies the answers. */
function startProcess(store: Store = memoryStore({ leaseMs: 0 }), closeAfterMs = 60_000) {
  const problems: string[] = [];
  const connect = () => ({ provider: anthropic({} as never), use: () => {} });
  const options = { store, closeAfterMs, settingsFrom: { environment: {} } };
  const sessions = createAdapterSessions({ prefix: "t-", metadata: "test", connect }, options);
  onTestFinished(() => sessions.close().catch(() => {}));
  const context = { sessions, onProblem: ({ message }: Error) => void problems.push(message) };
  return {
    store,
    sessions,
    problems,
    begin: (messages: readonly SyncMessage[], key = "chat") =>
      beginAdapterCall(context, {
        list: messages,
        key,
        model: MODEL,
        live: {},
        messages,
        configuration: { tools: [], parameters: {} },
        answer: "whole",
        signal: undefined,
      }),
  };
}

let ids = 0;
const response = (text: string) =>
  ({
    id: `msg_${++ids}`,
    type: "message",
    role: "assistant",
    model: MODEL,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 100, output_tokens: 7 },
  }) as unknown as AnthropicResponse;
/** The texts of the request that a call sends. */
const textOf = (call: AdapterCall): string =>
  (call.request() as AnthropicRequest).messages
    .map(({ content }) =>
      typeof content === "string" ? content : content.map((one) => ("text" in one ? one.text : "")),
    )
    .join(" | ");
async function kindsIn(store: Store, session = "chat"): Promise<string[]> {
  const log = (await store.openReader(session))!;
  const entries = await Array.fromAsync(readEntries(log, 1, (await log.head()).sequence));
  return entries.map((entry) => readPayload(entry).kind);
}
const countOf = async (store: Store, kind: string) => (await kindsIn(store)).filter((one) => one === kind).length;

/** A process whose session has one finished turn. */
async function answered() {
  const made = startProcess();
  const first = await made.begin([user("one")]);
  await first.record(response("1"));
  first.end();
  return { ...made, before: [user("one"), assistant("1")] };
}

describe("two calls at once in one session", () => {
  test("send their own lists; the session shows the newer list and counts the cost of the older call", async () => {
    const { begin, store, sessions, problems, before } = await answered();
    const left = await begin([...before, user("left")]);
    const right = await begin([...before, user("right")]);
    expect(textOf(left)).toBe("one | 1 | left");
    expect(textOf(right)).toBe("one | 1 | right");
    await left.record(response("L"));
    await right.record(response("R"));
    const next = await begin([...before, user("right"), assistant("R"), user("next")]);
    expect(textOf(next)).toBe("one | 1 | right | R | next");
    // The session is rewound once, from left to right: the late answer left nothing to rewind.
    expect(await countOf(store, "rewind")).toBe(1);
    expect(sessions.open()[0]!.ledger.totals()).toMatchObject({ responses: 3, outputTokens: 21 });
    expect(problems).toEqual([]);
    for (const call of [left, right, next]) call.end();
  });

  test("leave the sent request unchanged if the user stops an answer and writes at once", async () => {
    const { begin, store, before } = await answered();
    const stopped = await begin([...before, user("two")]);
    const next = await begin([...before, user("two"), user("three")]);
    await stopped.recordInterrupted({ text: "A beginn" }, { view: "kept" });
    await next.record(response("3"));
    const last = await begin([...before, user("two"), user("three"), assistant("3"), user("four")]);
    const sent = textOf(next);
    expect(textOf(last).slice(0, sent.length)).toBe(sent);
    expect(textOf(last)).not.toContain("interrupted");
    expect(await countOf(store, "rewind")).toBe(0);
    for (const call of [stopped, next, last]) call.end();
  });

  test("retry an overflow with the list of the failed call", async () => {
    const { begin, before } = await answered();
    const left = await begin([...before, user("left")]);
    const right = await begin([...before, user("right")]);
    const message = "input length and `max_tokens` exceed context limit: 1000 + 32000 > 32768";
    const refused = Object.assign(new Error(message), { status: 400, error: { error: { message } } });
    expect(await left.recover(refused)).toBe("retry");
    expect(textOf(left)).toBe("one | 1 | left");
    for (const call of [left, right]) call.end();
  });

  test("put a request for a title during the first answer into its own session", async () => {
    const { begin, sessions } = startProcess();
    const calls = await Promise.all([begin([user("one")]), begin([user("A title for: one")])]);
    expect(calls.map(textOf)).toEqual(["one", "A title for: one"]);
    expect(sessions.open()).toHaveLength(2);
    for (const call of calls) call.end();
  });

  test("continue a session whose first message was not answered, even in another process", async () => {
    const { begin, sessions, store } = startProcess();
    (await begin([user("one")])).end();
    const second = await begin([user("one"), user("two")]);
    expect(textOf(second)).toContain("two");
    second.end();
    await sessions.close();
    const there = startProcess(store);
    const third = await there.begin([user("three")]);
    expect(textOf(third)).toBe("three");
    await third.record(response("3"));
    third.end();
    expect(there.sessions.open().map(({ id }) => id)).toEqual(["chat"]);
    // The session has an answer now, so a list with another beginning is another session.
    (await there.begin([user("A title for: three")])).end();
    expect(there.sessions.open()).toHaveLength(2);
  });

  test("open two sessions for the same list under two names", async () => {
    const { begin, sessions } = startProcess();
    const list = [user("one")];
    for (const name of ["a", "b"]) (await begin(list, name)).end();
    expect(sessions.open().map(({ id }) => id)).toEqual(["a", "b"]);
  });
});

describe("two processes in one session", () => {
  test("report an answer that could not be recorded, adopt it with the next list, and count its price once", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const [here, there] = [startProcess(store), startProcess(store)];
    const lost = await here.begin([user("one")]);
    const other = await there.begin([user("one")]);
    await lost.record(response("1"));
    lost.end();
    expect(here.problems.join()).toMatch(/answer was passed on but not recorded in session chat.*taken it over/s);
    await other.record(response("I"));
    other.end();
    const next = await here.begin([user("one"), assistant("1"), user("two")]);
    expect(textOf(next)).toBe("one | 1 | two");
    expect(here.sessions.open()[0]!.ledger.totals()).toMatchObject({ responses: 2, outputTokens: 14 });
    next.end();
  });

  test("give up with SessionContendedError if other processes keep taking over the session", async () => {
    const store = memoryStore({ leaseMs: 0 });
    const other = startProcess(store);
    const greedy: Store = {
      ...store,
      async openWriter(id, how) {
        const opened = await store.openWriter(id, how);
        await store.openWriter(id, { owner: "another server", takeover: "always" });
        return opened;
      },
    };
    (await other.begin([user("one")])).end();
    await expect(startProcess(greedy).begin([user("one"), user("two")])).rejects.toThrow(
      /took session chat\S* over 3 times in a row, so nothing was sent.*one process at a time.*another server/s,
    );
  });
});

describe("a store that fails", () => {
  test("closes the session if opening it fails", async () => {
    const store = memoryStore();
    let fails = true;
    const failing: Store = {
      ...store,
      async setMetadata(...args) {
        if (fails) throw new Error("the disk is full");
        return store.setMetadata(...args);
      },
    };
    const { begin } = startProcess(failing);
    await expect(begin([user("one")])).rejects.toThrow("the disk is full");
    expect(await store.writerOf("chat")).toBeUndefined();
    fails = false;
    const call = await begin([user("one")]);
    expect(textOf(call)).toBe("one");
    call.end();
  });

  test("reports a failure to close an idle session, and does not end the process", async () => {
    const store = memoryStore();
    const failing: Store = {
      ...store,
      async openWriter(...args) {
        const opened = await store.openWriter(...args);
        if (opened.kind !== "opened") return opened;
        const close = () => Promise.reject(new Error("the store is gone"));
        return { ...opened, writer: { ...opened.writer, close } };
      },
    };
    const { begin, problems } = startProcess(failing, 5);
    (await begin([user("one")])).end();
    await expect.poll(() => problems).toEqual(["the store is gone"]);
  });

  test("passes the refusal on to the caller if the recovery fails", async () => {
    const store = memoryStore();
    let fails = false;
    const failing: Store = {
      ...store,
      async openWriter(...args) {
        const opened = await store.openWriter(...args);
        if (opened.kind !== "opened") return opened;
        const { writer } = opened;
        const append: typeof writer.append = async (entries) => {
          if (fails) throw new Error("the disk is full");
          return writer.append(entries);
        };
        return { ...opened, writer: { ...writer, append } };
      },
    };
    const { begin, problems } = startProcess(failing);
    const call = await begin([user("one")]);
    fails = true;
    const message = "prompt is too long: 250000 tokens > 200000 maximum";
    const refused = Object.assign(new Error(message), { status: 400, error: { error: { message } } });
    expect(await call.recover(refused)).toBe("give-up");
    expect(problems).toEqual(["the disk is full"]);
    fails = false;
    await call.record(response("1"));
    expect(problems).toHaveLength(1);
    call.end();
  });
});

test("the sessions of an adapter refuse a setting that the policy replaces, before the first call", () => {
  const connect = () => ({ provider: anthropic({} as never), use: () => {} });
  const options = { store: memoryStore(), policy: coding(), settings: { profile: "economy" } } as const;
  const create = () => createAdapterSessions({ prefix: "t-", metadata: "test", connect }, options);
  expect(create).toThrow('Setting "profile" is "economy", and has no effect');
});
