import { describe, expect, test } from "vitest";
import { memoryStore } from "../../stores/memory-store.ts";
import { LOOK, openOffline } from "../testing/open-offline.ts";
import { assistant, call, type Logged, ourGroups, ourGroupsBack, result, text, user } from "../testing/sync-groups.ts";
import { align, findEdited, findPruned, findTrimmed, matchGroup } from "./align.ts";
import { listGroups, type SyncMessage } from "./conversation.ts";

test("treats an answer after another answer as new, not as a changed answer", async () => {
  const store = memoryStore();
  const list: readonly SyncMessage[] = [
    { role: "user", content: "What is there?" },
    { role: "assistant", content: "A tree." },
  ];
  await (await openOffline(store)).sync(list);
  // Another process compares the whole list.
  const session = await openOffline(store);
  const longer: readonly SyncMessage[] = [...list, { role: "assistant", content: "And a house." }];
  const synced = await session.sync(longer);
  expect(synced).toMatchObject({ kept: 2, altered: [] });
  expect(synced.appended).toHaveLength(1);
  await session.append("Go on.");
  expect(JSON.stringify((await session.prepare()).messages)).toMatch(/A tree\..*And a house\./);
});

describe("matchGroup", () => {
  async function match(list: readonly SyncMessage[], log: readonly Logged[]) {
    const [group] = listGroups(list, 0);
    const [own] = await Array.fromAsync(ourGroups(log));
    const { matched, ...rest } = matchGroup(group!, own!);
    return { ...rest, matched: Array.from(matched, ([{ key }, entry]) => `${key} ${entry}`) };
  }

  test("never reports host content as missing", async () => {
    const hosted: Logged = { ...user("By the way."), presence: "optional" };
    expect(await match([user("One.")], [user("One."), hosted])).toEqual({ matched: ["One. 1"], altered: [] });
  });

  test("matches an answer with other words by the id of its response or by its calls", async () => {
    const log = [assistant("A tree.", "r1")];
    expect(await match([assistant("<p>A tree.</p>", "r1")], log)).toMatchObject({ altered: [1] });
    expect(await match([assistant("<p>A tree.</p>", "r2")], log)).toMatchObject({ missingAt: 1, altered: [] });
    // The id and the words match, so the next message is new.
    const more = await match([assistant("A tree.", "r1"), assistant("And a lake.")], log);
    expect(more).toEqual({ matched: ["Atree. 1"], altered: [] });
    const called = [assistant([text("I look."), call("a")])];
    expect(await match([assistant([text("(calls)"), call("a")])], called)).toMatchObject({ altered: [1] });
    expect(await match([assistant([text("I look."), call("b")])], called)).toMatchObject({ missingAt: 1 });
  });
});

describe("findPruned", () => {
  const LOG = [
    user("What is there?"),
    assistant([text("I look."), call("a")]),
    user([result("a")]),
    assistant("A tree."),
    user("And behind it?"),
    assistant([call("b")]),
    user([result("b")]),
    assistant("A lake."),
  ];
  const bare = assistant("I look.");

  async function found(list: readonly SyncMessage[]) {
    const groups = listGroups(list, 0);
    const { cutAt } = await align(groups, ourGroups(LOG));
    const pruned = await findPruned(groups, ourGroups(LOG), cutAt!);
    return (
      pruned && { cutAt: pruned.plan.cutAt, fresh: pruned.plan.fresh.map(({ key }) => key), entries: pruned.entries }
    );
  }

  test.each<[string, readonly SyncMessage[], object]>([
    ["one step", [LOG[0]!, bare, ...LOG.slice(3)], { fresh: [], entries: [2, 3] }],
    ["all steps", [LOG[0]!, bare, LOG[3]!, LOG[4]!, LOG[7]!], { fresh: [], entries: [2, 3, 6, 7] }],
    ["and a message follows", [LOG[0]!, bare, ...LOG.slice(3), user("Go on.")], { fresh: ["Goon."], entries: [2, 3] }],
    [
      "and a later message was edited",
      [LOG[0]!, bare, LOG[3]!, user("And?")],
      { cutAt: 5, fresh: ["And?"], entries: [2, 3] },
    ],
    // The end was undone, so its calls are removed too, from the first call on.
    ["and the end is gone", [LOG[0]!, bare, ...LOG.slice(3, 5)], { cutAt: 6, fresh: [], entries: [2, 3] }],
  ])("finds pruned calls and results before messages that the list has: %s", async (_, list, expected) => {
    expect(await found(list)).toEqual({ cutAt: undefined, ...expected });
  });

  test.each<[string, readonly SyncMessage[]]>([
    ["an answer was undone, with its calls", LOG.slice(0, 5)],
    ["the calls of the last answer are gone", [LOG[0]!, bare]],
    [
      "other calls were made with the same words",
      [LOG[0]!, assistant([text("I look."), call("c")]), user([result("c")])],
    ],
    ["nothing was pruned, and a message was edited", [user("What?"), ...LOG.slice(1)]],
  ])("returns undefined if %s", async (_, list) => {
    expect(await found(list)).toBeUndefined();
  });
});

describe("findTrimmed", () => {
  const LOG = [
    user("One."),
    assistant("1"),
    user([text("Two."), text("And more.")]),
    assistant("2"),
    user("Three."),
    assistant("3"),
  ];
  const added = async (list: readonly SyncMessage[], log = LOG) =>
    (await findTrimmed(listGroups(list, 0), ourGroupsBack(log)))?.map(({ key }) => key);

  test.each<[string, readonly SyncMessage[], readonly string[]]>([
    ["its beginning is gone", LOG.slice(3), []],
    ["only the last answer is left, with something new", [LOG[5]!, user("Four.")], ["Four."]],
    ["the last message continues", [LOG[4]!, assistant("3"), assistant("c")], ["c"]],
    ["a summary replaces the beginning", [user("So far: one, two."), assistant("I see."), ...LOG.slice(4)], []],
  ])("recognizes a list that has the end of the log and fewer messages before it: %s", async (_, list, expected) => {
    expect(await added(list)).toEqual(expected);
  });

  test("accepts a first group that was cut in the middle, and no other cut group", async () => {
    const log = [
      user("One."),
      assistant("1"),
      user("Two."),
      user("More."),
      assistant("2"),
      user("Three."),
      assistant("3"),
    ];
    expect(await added([user("Two."), ...log.slice(4)], log)).toEqual([]);
    // In the middle, the difference is an edit, because the list does not have fewer messages before it.
    expect(await added([user("Zero."), assistant("1"), user("Two."), ...log.slice(4)], log)).toBeUndefined();
  });

  test.each<[string, readonly SyncMessage[]]>([
    ["its first message was edited", [user("Zero."), ...LOG.slice(1)]],
    ["it has as many messages before", [user("Zero."), assistant("0"), user("Zwei."), ...LOG.slice(3)]],
    ["nothing of the end is in it", [user("Something else.")]],
    ["it is the whole log", LOG],
  ])("returns undefined if %s", async (_, list) => {
    expect(await added(list)).toBeUndefined();
  });

  test("returns undefined without a common answer, because equal user messages can be a new beginning", async () => {
    const log = [...LOG, user("Go on.")];
    expect(await added([user("Go on.")], log)).toBeUndefined();
    expect(await added([assistant("3"), user("Go on.")], log)).toEqual([]);
    expect(await added([user("Three."), assistant("3"), user("Go on.")], log)).toEqual([]);
    // The rest of an answer that was cut in the middle counts as a common answer.
    const cut = [user("One."), assistant("1"), assistant("one"), user("Go on.")];
    expect(await added([assistant("one"), user("Go on.")], cut)).toEqual([]);
  });
});

test("findEdited leaves out failed results", async () => {
  const store = memoryStore();
  const session = await openOffline(store, { tools: [LOOK] });
  const reader = (await store.openReader("s"))!;
  const failed = { kind: "tool_result", callId: "b", content: "No.", status: "error" } as const;
  const message = (blocks: readonly object[]) => ({ role: "user", origin: "tool", blocks }) as never;
  const [words, ok, error] = (await session.append(["Look.", message([result("a")]), message([failed])])) as [
    number,
    number,
    number,
  ];
  expect(await findEdited(reader, [words, ok, error])).toEqual([words, ok]);
  expect(await findEdited(reader, [error])).toEqual([]);
});
