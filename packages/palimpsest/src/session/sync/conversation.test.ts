import { expect, test } from "vitest";
import { attachment, commandOutput, notice } from "../../log/messages.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { openOffline } from "../testing/open-offline.ts";
import { assistant, user } from "../testing/sync-groups.ts";
import { type OurGroup, readConversation, readConversationBack } from "./conversation.ts";

const shown = ({ role, entries }: OurGroup): readonly string[] => [
  role,
  ...entries.map(({ parts, presence }) => `${parts.map(({ key }) => key).join("+")} ${presence}`),
];

async function open() {
  const store = memoryStore();
  const session = await openOffline(store);
  const log = (await store.openReader("s"))!;
  const read = async (after?: number) =>
    (await Array.fromAsync(readConversation(log, session.history.newestEntry, after))).map(shown);
  const readBack = async () =>
    (await Array.fromAsync(readConversationBack(log, session.history.newestEntry))).map(shown);
  return { store, session, log, read, readBack };
}

test("the conversation has what a list may have, in groups, in both directions", async () => {
  const { session, read, readBack } = await open();
  await session.sync([user("One."), assistant("1"), user("Two.")]);
  // For the user alone, or beside the messages: no list has it.
  await session.append([attachment("note", "Mind."), notice("for the user")]);
  await session.append(commandOutput("total 0"));
  await session.sync([user("One."), assistant("1"), user("Two."), { role: "system", content: "Be brief." }]);
  const groups = await read();
  expect(groups).toEqual([
    ["user", "One. required"],
    ["assistant", "1 required"],
    ["user", "Two. required", "total0 optional", "Bebrief. required"],
  ]);
  expect(await readBack()).toEqual(groups.toReversed());
});

test("what was taken back is passed over, and what is known already is not read again", async () => {
  const { session, read, readBack } = await open();
  const { appended } = await session.sync([user("One."), assistant("1"), user("Two."), assistant("2")]);
  await session.history.rewind(appended[1]!);
  await session.append("Three.");
  const groups = [
    ["user", "One. required"],
    ["assistant", "1 required"],
    ["user", "Three. required"],
  ];
  expect(await read()).toEqual(groups);
  expect(await readBack()).toEqual(groups.toReversed());
  expect(await read(appended[0])).toEqual(groups.slice(1));
  expect(await read(appended[1])).toEqual(groups.slice(2));
  expect(await read(session.history.newestEntry)).toEqual([]);
});

test("a long log is read back whole, each entry once", async () => {
  const { session, readBack } = await open();
  await session.append(Array.from({ length: 300 }, (_, index) => `word${index}`));
  const [group, ...others] = await readBack();
  expect(others).toEqual([]);
  expect(group).toEqual(["user", ...Array.from({ length: 300 }, (_, index) => `word${index} required`)]);
});

test("answers are known by their responses, and what is in a file by its digest", async () => {
  const { session, log } = await open();
  await session.sync([user("One."), assistant("1"), user("long ".repeat(60_000))]);
  const groups = await Array.fromAsync(readConversation(log, session.history.newestEntry));
  const known = groups
    .flatMap(({ entries }) => entries)
    .map((entry) => [entry.responseId !== undefined, entry.digest !== undefined]);
  expect(known).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
});

test("what says nothing goes with what stands behind it", async () => {
  const { session, log } = await open();
  const thinking = { kind: "opaque", native: { provider: "other", block: { type: "aside" } } } as const;
  const { appended } = await session.sync([user("One."), assistant([thinking]), assistant("1"), user("Two.")]);
  const groups = await Array.fromAsync(readConversation(log, session.history.newestEntry));
  const entries = groups.flatMap(({ entries }) => entries);
  expect(entries.map(({ entry, cutAt }) => [entry, cutAt])).toEqual([
    [appended[0], appended[0]],
    [appended[2], appended[1]],
    [appended[3], appended[3]],
  ]);
});

test("another process finds a system message in the middle of a list again, and an edit of it", async () => {
  const { store, session } = await open();
  const list = (word: string) => [user("One."), assistant("1"), { role: "system", content: word } as const];
  const { appended } = await session.sync(list("Be brief."));
  const again = await openOffline(store);
  expect(await again.sync(list("Be brief."))).toMatchObject({ appended: [], kept: 3 });
  const edited = await (await openOffline(store)).sync(list("Be long."));
  expect(edited).toMatchObject({ rewoundTo: appended[2]! - 1, kept: 2 });
});
