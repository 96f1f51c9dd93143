import { expect, test } from "vitest";
import { assistant, ourGroupsBack, text, user } from "../testing/sync-groups.ts";
import { findTrimmed } from "./align.ts";
import { listGroups, type SyncMessage } from "./conversation.ts";

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
