import { describe, expect, test } from "vitest";
import { memoryStore } from "../../stores/memory-store.ts";
import { LOOK, openOffline } from "../testing/open-offline.ts";
import { assistant, call, type Logged, ourGroups, ourGroupsBack, result, text, user } from "../testing/sync-groups.ts";
import { align, findEdited, findPruned, findTrimmed, matchGroup } from "./align.ts";
import { listGroups, type SyncMessage } from "./conversation.ts";

test("an answer that follows another is new, and not the other in new words", async () => {
  const store = memoryStore();
  const list: readonly SyncMessage[] = [
    { role: "user", content: "What is there?" },
    { role: "assistant", content: "A tree." },
  ];
  await (await openOffline(store)).sync(list);
  // Another process: it compares the whole list.
  const session = await openOffline(store);
  const longer: readonly SyncMessage[] = [...list, { role: "assistant", content: "And a house." }];
  const synced = await session.sync(longer);
  expect(synced).toMatchObject({ kept: 2, altered: [] });
  expect(synced.appended).toHaveLength(1);
  await session.append("Go on.");
  expect(JSON.stringify((await session.prepare()).messages)).toMatch(/A tree\..*And a house\./);
});

describe("parts of a list beside those of a log", () => {
  async function match(list: readonly SyncMessage[], log: readonly Logged[]) {
    const [group] = listGroups(list, 0);
    const [own] = await Array.fromAsync(ourGroups(log));
    const { matched, ...rest } = matchGroup(group!, own!);
    return { ...rest, matched: Array.from(matched, ([{ key }, entry]) => `${key} ${entry}`) };
  }

  test("what the host has put in is never missing", async () => {
    const hosted: Logged = { ...user("By the way."), presence: "optional" };
    expect(await match([user("One.")], [user("One."), hosted])).toEqual({ matched: ["One. 1"], altered: [] });
  });

  test("under the id of its response, or beside its calls, an answer is the same in any words", async () => {
    const log = [assistant("A tree.", "r1")];
    expect(await match([assistant("<p>A tree.</p>", "r1")], log)).toMatchObject({ altered: [1] });
    expect(await match([assistant("<p>A tree.</p>", "r2")], log)).toMatchObject({ missingAt: 1, altered: [] });
    // The same id, and the same words: what follows is another message, and new.
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
    ["and more is said", [LOG[0]!, bare, ...LOG.slice(3), user("Go on.")], { fresh: ["Goon."], entries: [2, 3] }],
    [
      "and a later message is another",
      [LOG[0]!, bare, LOG[3]!, user("And?")],
      { cutAt: 5, fresh: ["And?"], entries: [2, 3] },
    ],
    // The end was taken back: its calls go, too, from the first of them on.
    ["and the end is gone", [LOG[0]!, bare, ...LOG.slice(3, 5)], { cutAt: 6, fresh: [], entries: [2, 3] }],
  ])("a list that lacks calls and results, and has what follows them, is pruned: %s", async (_, list, wanted) => {
    expect(await found(list)).toEqual({ cutAt: undefined, ...wanted });
  });

  test.each<[string, readonly SyncMessage[]]>([
    ["an answer was taken back, with its calls", LOG.slice(0, 5)],
    ["the calls of the last answer are gone", [LOG[0]!, bare]],
    [
      "other calls were made with the same words",
      [LOG[0]!, assistant([text("I look."), call("c")]), user([result("c")])],
    ],
    ["nothing was pruned, and something edited", [user("What?"), ...LOG.slice(1)]],
  ])("a list is not pruned where %s", async (_, list) => {
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
    ["the last message goes on", [LOG[4]!, assistant("3"), assistant("c")], ["c"]],
    ["a summary stands for the beginning", [user("So far: one, two."), assistant("I see."), ...LOG.slice(4)], []],
  ])("a list that has the end of a log, and less before it, is trimmed: %s", async (_, list, wanted) => {
    expect(await added(list)).toEqual(wanted);
  });

  test("its first group may have been cut in the middle, and no other", async () => {
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
    // In the middle it is another message: what stands before it would have to be fewer than the log has.
    expect(await added([user("Zero."), assistant("1"), user("Two."), ...log.slice(4)], log)).toBeUndefined();
  });

  test.each<[string, readonly SyncMessage[]]>([
    ["its first message was edited", [user("Zero."), ...LOG.slice(1)]],
    ["it has as many messages before", [user("Zero."), assistant("0"), user("Zwei."), ...LOG.slice(3)]],
    ["nothing of the end is in it", [user("Something else.")]],
    ["it is the whole log", LOG],
  ])("a list is not trimmed where %s", async (_, list) => {
    expect(await added(list)).toBeUndefined();
  });

  test("a list that shares no answer with the log is not trimmed: the same words of the user may be a new beginning", async () => {
    const log = [...LOG, user("Go on.")];
    expect(await added([user("Go on.")], log)).toBeUndefined();
    expect(await added([assistant("3"), user("Go on.")], log)).toEqual([]);
    expect(await added([user("Three."), assistant("3"), user("Go on.")], log)).toEqual([]);
    // Of an answer that was cut in the middle, the rest is enough.
    const cut = [user("One."), assistant("1"), assistant("one"), user("Go on.")];
    expect(await added([assistant("one"), user("Go on.")], cut)).toEqual([]);
  });
});

test("of entries that came back altered, those that are failed results are not edits", async () => {
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
