import { createAnthropic } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { attachment, commandOutput, notice, toolResult } from "../../log/messages.ts";
import type { AnthropicRequest, AnthropicResponse } from "../../providers/anthropic.ts";
import { readEntry } from "../../state/load.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import type { Store } from "../../stores/store.ts";
import { LOOK, openOffline } from "../testing/open-offline.ts";
import type { SyncMessage } from "./conversation.ts";

const open = (store: Store = memoryStore()) => openOffline(store, { tools: [LOOK] });
const user = (content: SyncMessage["content"]): SyncMessage => ({ role: "user", content });
const assistant = (content: SyncMessage["content"], id?: string): SyncMessage => ({
  role: "assistant",
  content,
  ...(id === undefined ? {} : { id }),
});
const call = (id: string, input: unknown = { at: 1, deep: true }): Block => ({
  kind: "tool_call",
  id,
  name: "look",
  input,
});
const result = (callId: string, content = "A tree.", status: "ok" | "error" = "ok"): Block => ({
  kind: "tool_result",
  callId,
  content,
  status,
});
const text = (words: string): Block => ({ kind: "text", text: words });
/** Returns the messages without cache marks, which move with the end. */
const sent = (request: AnthropicRequest): string =>
  JSON.stringify(request.messages, (name, value) => (name === "cache_control" ? undefined : value));

/** A service that calls a tool twice and then answers. */
function service() {
  const face = createAnthropic({
    script: ({ turn }) =>
      turn % 2 === 0
        ? {
            words: [
              { kind: "thinking", text: "Let me see." },
              { kind: "text", text: "I look.\n" },
              { kind: "tool-call", name: "look", input: { at: 1, deep: true } },
              { kind: "tool-call", name: "look", input: { at: 2, deep: true } },
            ],
          }
        : { words: [{ kind: "text", text: "There is **a tree**.\n" }] },
  });
  return (request: AnthropicRequest): AnthropicResponse => {
    const answered = face.answer(request);
    if (answered.kind === "refused") throw new Error(answered.message);
    return answered.response as unknown as AnthropicResponse;
  };
}

describe("a list that grows", () => {
  const list = [
    { role: "system", content: "Be brief." },
    user("What is there?"),
    assistant([text("I look."), call("a"), call("b")]),
    user([result("a"), result("b")]),
    assistant("A tree."),
    user("Thank you."),
  ] as const satisfies readonly SyncMessage[];

  test("is appended once, and not again after reopening", async () => {
    const store = memoryStore();
    const session = await open(store);
    const first = await session.sync(list);
    expect(first).toMatchObject({ kept: 1, altered: [], head: "whole" });
    expect(first.appended).toHaveLength(6);
    const { newestEntry } = session.history;
    const nothing = { kept: 6, appended: [], altered: [], edited: [], head: "whole", pruned: [] };
    expect(await session.sync(list)).toEqual(nothing);
    const request = await session.prepare();
    expect(JSON.stringify(request.system)).toContain("Be brief.");
    await session.close();
    const again = await open(store);
    expect(await again.sync(list)).toEqual(nothing);
    expect(await again.sync(list)).toEqual(nothing);
    expect(again.history.newestEntry).toBe(newestEntry + 1);
    expect(sent(await again.prepare())).toBe(sent(request));
  });

  test("is sent with the calls and results of each round together", async () => {
    const session = await open();
    await session.sync(list);
    const { messages } = await session.prepare();
    expect(
      messages.map(({ role, content }) => [role, (content as { type: string }[]).map(({ type }) => type)]),
    ).toEqual([
      ["user", ["text"]],
      ["assistant", ["text", "tool_use", "tool_use"]],
      ["user", ["tool_result", "tool_result"]],
      ["assistant", ["text"]],
      ["user", ["text"]],
    ]);
  });

  test("turns a system message in the middle into an attachment, and changes the configuration at the head", async () => {
    const session = await open();
    const middle = { role: "system", content: "Mind the gap." } as const;
    await session.sync([...list, middle]);
    expect((await session.sync([...list, middle, user("Go on.")])).appended).toHaveLength(1);
    expect(session.view.attached("system")).toEqual(["Mind the gap."]);
    const other = { role: "system", content: "Be long." } as const;
    expect(await session.sync([other, ...list.slice(1), middle, user("Go on.")])).toMatchObject({ appended: [] });
    expect(JSON.stringify((await session.prepare()).system)).toContain("Be long.");
  });
});

test("finds a recorded response again, however the framework renders it", async () => {
  const session = await open();
  const ask = service();
  await session.sync([user("  What is there?  ")]);
  const { calls } = await session.record(ask(await session.prepare()));
  const [a, b] = calls.map(({ id }) => id) as [string, string];
  // Thinking is gone, texts are trimmed, inputs are rendered again, and results are merged into one message in another
  // order.
  const second = [
    user("What is there?"),
    assistant([text("I look."), call(a, { deep: true, at: 1 }), call(b, { deep: true, at: 2 })]),
    user([result(b, "A tree."), result(a, "An error occurred.", "error")]),
  ];
  expect(await session.sync(second)).toMatchObject({ kept: 2, altered: [], head: "whole" });
  const request = await session.prepare();
  expect(sent(request)).toContain('"type":"thinking"');
  await session.record(ask(request));
  const third = [
    ...second.slice(0, 2),
    user([result(a, "Error: nope", "error"), result(b, "A tree.")]),
    assistant("There is **a tree**."),
    user("Thank you."),
  ];
  const synced = await session.sync(third);
  expect(synced).toMatchObject({ kept: 4, altered: [expect.any(Number)] });
  expect(synced.rewoundTo).toBeUndefined();
  const next = await session.prepare();
  // The session sends the same bytes again.
  expect(JSON.stringify(next.messages.slice(0, request.messages.length - 1))).toBe(
    JSON.stringify(request.messages.slice(0, -1)),
  );
  expect(sent(next)).toContain("An error occurred.");
});

test("keeps an answer with the provider's id as it was sent, whatever its text becomes", async () => {
  const session = await open();
  const ask = service();
  await session.sync([user("What is there?")]);
  const response = ask(await session.prepare());
  const { calls } = await session.record(response);
  await session.append(calls.map(({ id }) => toolResult(id, "A tree.")));
  const last = ask(await session.prepare());
  await session.record(last);
  const list = [
    user("What is there?"),
    assistant([text("(calls)"), ...calls]),
    user(calls.map(({ id }) => result(id))),
    assistant("<p>There is <b>a tree</b>.</p>", last.id),
    user("And?"),
  ];
  const synced = await session.sync(list);
  expect(synced.rewoundTo).toBeUndefined();
  expect(synced.altered).toHaveLength(2);
  expect(synced.appended).toHaveLength(1);
});

describe("an edit", () => {
  const list = [user("One."), assistant("1"), user("Two."), assistant("2"), user("Three.")];
  const requestOf = async (messages: readonly SyncMessage[]) => {
    const session = await open();
    await session.sync(messages);
    return sent(await session.prepare());
  };

  test.each([
    ["an edited message", [user("One."), assistant("1"), user("Two, edited."), assistant("2"), user("Three.")]],
    ["an edited answer", [user("One."), assistant("one"), user("Two."), assistant("2"), user("Three.")]],
    ["a deleted exchange", [user("One."), assistant("1"), user("Three.")]],
    [
      "an inserted message",
      [user("One."), assistant("1"), user(["Two.", "And more."].map(text)), assistant("2"), user("Three.")],
    ],
    ["a regenerated answer", [user("One."), assistant("1"), user("Two.")]],
    ["the first message", [user("Zero."), assistant("1"), user("Two."), assistant("2"), user("Three.")]],
    ["everything", [user("Something else.")]],
    ["an empty list", []],
  ])("rewinds the session for an edit: %s", async (_, edited: readonly SyncMessage[]) => {
    const session = await open();
    await session.sync(list);
    const synced = await session.sync(edited);
    expect(synced).toMatchObject({ rewoundTo: expect.any(Number), head: "whole" });
    expect(await session.sync(edited)).toMatchObject({ appended: [], kept: edited.length });
    if (edited.length > 0) expect(sent(await session.prepare())).toBe(await requestOf(edited));
    await session.sync(list);
    expect(sent(await session.prepare())).toBe(await requestOf(list));
  });

  test("undoes the answer on a retry with the previous list, and prepares the same request", async () => {
    const session = await open();
    const ask = service();
    await session.sync([user("What is there?")]);
    const request = await session.prepare();
    await session.record(ask(request));
    expect(await session.sync([user("What is there?")])).toMatchObject({ rewoundTo: expect.any(Number), appended: [] });
    expect(sent(await session.prepare())).toBe(sent(request));
  });
});

describe("a list that the framework has shortened", () => {
  const list = [user("One."), assistant("1"), user("Two."), assistant("2"), user("Three."), assistant("3")];

  test.each([
    ["its beginning is gone", list.slice(2)],
    ["all but the last answer is gone", list.slice(5)],
    ["a summary replaces its beginning", [user("Summary: one and two."), assistant("I see."), ...list.slice(4)]],
  ])("keeps the session whole: %s", async (_, shortened) => {
    const session = await open();
    await session.sync(list);
    const { newestEntry } = session.history;
    expect(await session.sync(shortened)).toMatchObject({ appended: [], head: "trimmed" });
    expect(session.history.newestEntry).toBe(newestEntry);
    expect(await session.sync([...shortened, user("Four.")])).toMatchObject({
      appended: [expect.any(Number)],
      head: "trimmed",
    });
    expect(sent(await session.prepare())).toMatch(/One\..*Two\..*Three\..*Four\./);
  });
});

test("keeps content that the host has appended outside the list", async () => {
  const session = await open();
  await session.sync([user("One.")]);
  await session.append([attachment("note", "Mind."), commandOutput("total 0"), notice("for the user")]);
  const synced = await session.sync([user("One."), assistant("1"), user("Two.")]);
  expect(synced.rewoundTo).toBeUndefined();
  expect(await session.sync([user("One."), assistant("1"), user("Two.")])).toMatchObject({ appended: [], kept: 3 });
});

test("finds stored, cleared, compacted and erased content", async () => {
  const store = memoryStore();
  const session = await open(store);
  const list = [
    user(`Long: ${"word ".repeat(60_000)}`),
    assistant([call("a")]),
    user([result("a", "x ".repeat(60_000))]),
    assistant("Done."),
    user("A secret."),
    assistant("I see."),
  ];
  const { appended } = await session.sync(list);
  const summary = { role: "user", origin: "summary", blocks: [text("They talked.")] } as const;
  await session.history.fold({ from: appended[0]!, to: appended[3]! }, [summary], "test");
  await session.erase(appended[4]!);
  const nothing = { kept: 6, appended: [], altered: [], edited: [], head: "whole", pruned: [] };
  expect(await session.sync(list)).toEqual(nothing);
  await session.close();
  const again = await open(store);
  expect(await again.sync(list)).toEqual(nothing);
  expect((await again.sync([...list, user("Next.")])).appended).toHaveLength(1);
});

test("treats results in the model's message as results", async () => {
  const session = await open();
  const list = [user("Look."), assistant([call("a"), result("a"), text("A tree.")]), user("Thanks.")];
  expect((await session.sync(list)).appended).toHaveLength(5);
  expect(await session.sync(list)).toMatchObject({ appended: [], kept: 3 });
  expect((await session.prepare()).messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
});

test("rejects a value that is not a list of messages", async () => {
  const session = await open();
  await expect(session.sync("Hello." as never)).rejects.toThrow(/list of messages/);
  await expect(session.sync([{ role: "tool", content: "x" }] as never)).rejects.toThrow(/role/);
});

test("accepts a turn with several steps as one answer with all results", async () => {
  const session = await open();
  const steps = [
    user("What is there?"),
    assistant([text("I look."), call("a"), call("b")]),
    user([result("a"), result("b")]),
    assistant([text("Once more."), call("c")]),
    user([result("c")]),
    assistant("There is a tree."),
  ];
  await session.sync(steps);
  const divided = await open();
  await divided.sync([...steps, user("Go on.")]);
  const joined = [
    user("What is there?"),
    assistant([text("I look."), call("a"), call("b"), text("Once more."), call("c")]),
    user([result("a"), result("b"), result("c")]),
    assistant("There is a tree."),
  ];
  const next = await session.sync([...joined, user("Go on.")]);
  expect(next).toMatchObject({ head: "whole", pruned: [], altered: [] });
  expect(next.rewoundTo).toBeUndefined();
  expect(sent(await session.prepare())).toBe(sent(await divided.prepare()));
  const edited = await session.sync([...joined.slice(0, 3), user("Stop.")]);
  expect(edited.rewoundTo).toBeGreaterThan(0);
});

describe("a list with pruned calls and results", () => {
  const whole = [
    user("What is there?"),
    assistant([text("I look."), call("a")]),
    user([result("a")]),
    assistant("A tree."),
    user("And behind it?"),
    assistant([call("b")]),
    user([result("b", "A lake.")]),
    assistant("A lake."),
  ];
  const pruned = [whole[0]!, assistant("I look."), ...whole.slice(3)];

  test("keeps them in the session and reports them", async () => {
    const session = await open();
    await session.sync([...whole, user("Go on.")]);
    const before = sent(await session.prepare());
    const { newestEntry } = session.history;
    const later = [...pruned, user("Go on."), assistant("Fine.")];
    const next = await session.sync([...later, user("Thank you.")]);
    expect(next).toMatchObject({ head: "whole", pruned: [expect.any(Number), expect.any(Number)] });
    expect(next.rewoundTo).toBeUndefined();
    expect(next.appended).toHaveLength(2);
    expect(next.appended[0]).toBeGreaterThan(newestEntry);
    expect(sent(await session.prepare()).startsWith(before.slice(0, -1))).toBe(true);
    // The list continues, and the session remembers the pruned entries.
    expect((await session.sync([...later, user("Thank you.")])).pruned).toHaveLength(2);
  });

  test("is cut at the user's edit, and not at the pruned entries", async () => {
    const session = await open();
    const { appended } = await session.sync(whole);
    const edited = await session.sync([...pruned.slice(0, 3), user("And before it?")]);
    expect(edited.rewoundTo).toBe(appended[4]! - 1);
    expect(edited.pruned).toHaveLength(2);
  });

  test("does not count as pruned if other calls have the same words", async () => {
    const session = await open();
    const { appended } = await session.sync(whole);
    const other = [whole[0]!, assistant([text("I look."), call("c")]), user([result("c")]), assistant("A tree.")];
    const again = await session.sync(other);
    expect(again).toMatchObject({ rewoundTo: appended[1]! - 1, pruned: [] });
    expect(sent(await session.prepare())).not.toContain('"id":"a"');
  });

  test("does not count as pruned if an answer was undone with its calls", async () => {
    const session = await open();
    const { appended } = await session.sync(whole);
    const again = await session.sync(whole.slice(0, 5));
    expect(again).toMatchObject({ rewoundTo: appended[5]! - 1, pruned: [] });
    const both = await session.sync([whole[0]!, assistant("I look."), ...whole.slice(3, 5)]);
    expect(both.pruned).toHaveLength(2);
    expect(both.rewoundTo).toBeUndefined();
  });
});

test("keeps provider-specific content in the user's message, and finds it again", async () => {
  const session = await open();
  const found = (title: string): Block => {
    const block = { type: "search_result", source: "a", title, content: [{ type: "text", text: "b" }] };
    return { kind: "opaque", native: { provider: "anthropic", block } };
  };
  const list = [user([text("one"), found("x")]), assistant("1"), user([found("y")]), assistant("2"), user("three")];
  await session.sync(list);
  const { messages } = await session.prepare();
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(await session.sync(list)).toMatchObject({ appended: [], kept: 5 });
  const again = await openOffline(memoryStore());
  await again.sync(list.slice(0, 3));
  const longer = await again.sync([
    ...list.slice(0, 3).map((one) => ({ ...one, id: "other" })),
    assistant("2"),
    user("three"),
  ]);
  expect(longer.rewoundTo).toBeUndefined();
  const changed = await again.sync([...list.slice(0, 2), user([found("z")])]);
  expect(changed.rewoundTo).toBeDefined();
});

test("names altered entries as edited, except failures", async () => {
  const session = await open();
  const list = (one: string, other: string) => [
    user("go"),
    assistant([call("a"), call("b")]),
    user([result("a", one), result("b", other, "error")]),
    user("next"),
  ];
  const { appended } = await session.sync(list("A tree.", "Error: nope"));
  expect(appended).toHaveLength(5);
  const synced = await session.sync(list("A secret.", "An error occurred."));
  expect(synced.altered).toHaveLength(2);
  expect(synced.edited).toEqual([appended[2]]);
});

describe("the requests of an adopted list", () => {
  /** A session that adopts lists. `kinds` returns the kinds of its entries, with the request that each answers. */
  async function open() {
    const store = memoryStore();
    const session = await openOffline(store, { tools: [LOOK] });
    const reader = (await store.openReader("s"))!;
    const begin = session.history.newestEntry;
    async function kinds() {
      const found: unknown[] = [];
      for (let at = begin + 1; at <= session.history.newestEntry; at++) {
        const entry = await readEntry(reader, at);
        const answers = entry?.kind === "message" ? entry.payload.answers : undefined;
        found.push(answers === undefined ? entry?.kind : `answer to ${answers - begin}`);
      }
      return found;
    }
    return { session, kinds };
  }

  const LOOKING = [user("Look."), assistant([text("I look."), call("a")]), user([result("a")])];

  test.each<[string, readonly (readonly SyncMessage[])[], readonly string[]]>([
    ["an answer to the user", [[user("Hello."), assistant("Hi.")]], ["message", "message"]],
    [
      "an answer to the user, in two lists",
      [[user("Hello.")], [user("Hello."), assistant("Hi.")]],
      ["message", "message"],
    ],
    [
      "a user message after a result, in two lists",
      [LOOKING, [...LOOKING, user("And?")]],
      ["message", "message", "message", "message"],
    ],
    [
      "an answer after a result",
      [[...LOOKING, assistant("A tree.")]],
      ["message", "message", "message", "request", "answer to 4"],
    ],
    [
      "an answer after a result, in two lists",
      [LOOKING, [...LOOKING, assistant("A tree.")]],
      ["message", "message", "message", "request", "answer to 4"],
    ],
    ["a user message after a result", [[...LOOKING, user("And?")]], ["message", "message", "message", "message"]],
    [
      "rounds of calls",
      [[...LOOKING, assistant([call("b")]), user([result("b")]), assistant("Both."), user("Thanks.")]],
      ["message", "message", "message", "request", "answer to 4", "message", "request", "answer to 7", "message"],
    ],
  ])("enters the requests that another program has sent: %s", async (_, lists, expected) => {
    const { session, kinds } = await open();
    for (const list of lists) await session.sync(list);
    expect((await kinds()).filter((kind) => kind !== "turn")).toEqual(expected);
  });
});
