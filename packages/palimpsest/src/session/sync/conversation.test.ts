import { describe, expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { attachment, commandOutput, notice } from "../../log/messages.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { openOffline } from "../testing/open-offline.ts";
import { assistant, call, ourGroups, result, text, user } from "../testing/sync-groups.ts";
import {
  divideSteps,
  listGroups,
  type OurGroup,
  readConversation,
  readConversationBack,
  type SyncMessage,
  toParts,
} from "./conversation.ts";

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

test("reads the content that a list can contain, in groups, in both directions", async () => {
  const { session, read, readBack } = await open();
  await session.sync([user("One."), assistant("1"), user("Two.")]);
  // Notices and attachments are never in a list.
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

test("skips rewound entries, and does not read known entries again", async () => {
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

test("reads a long log backward completely, each entry once", async () => {
  const { session, readBack } = await open();
  await session.append(Array.from({ length: 300 }, (_, index) => `word${index}`));
  const [group, ...others] = await readBack();
  expect(others).toEqual([]);
  expect(group).toEqual(["user", ...Array.from({ length: 300 }, (_, index) => `word${index} required`)]);
});

test("identifies answers by their response id, and stored content by its digest", async () => {
  const { session, log } = await open();
  await session.sync([user("One."), assistant("1"), user("long ".repeat(60_000))]);
  const groups = await Array.fromAsync(readConversation(log, session.history.newestEntry));
  const identified = groups
    .flatMap(({ entries }) => entries)
    .map((entry) => [entry.responseId !== undefined, entry.digest !== undefined]);
  expect(identified).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
});

test("removes a silent entry together with the next entry", async () => {
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

test("finds a system message in the middle of a list in another process, and an edit of it", async () => {
  const { store, session } = await open();
  const list = (word: string) => [user("One."), assistant("1"), { role: "system", content: word } as const];
  const { appended } = await session.sync(list("Be brief."));
  const again = await openOffline(store);
  expect(await again.sync(list("Be brief."))).toMatchObject({ appended: [], kept: 3 });
  const edited = await (await openOffline(store)).sync(list("Be long."));
  expect(edited).toMatchObject({ rewoundTo: appended[2]! - 1, kept: 2 });
});

describe("toParts", () => {
  const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "AAAA" } };
  const page: Block = { kind: "document", source: { kind: "url", url: "https://example.com" } };
  const opaque: Block = { kind: "opaque", native: { provider: "anthropic", block: { type: "x" } } };
  const shown = (role: "system" | "user" | "assistant", content: string | readonly Block[]) =>
    toParts(role, content, 3).map((part) => [part.role, part.stream, part.key, part.says]);

  test("compares blocks by ids and by words without white space", () => {
    expect(shown("user", " Hello \n there. ")).toEqual([["user", "text", "Hellothere.", ""]]);
    expect(shown("user", "e\u0301")).toEqual(shown("user", "\u00e9"));
    expect(shown("user", " \n")).toEqual([]);
    expect(shown("system", "Be brief.")).toEqual([["user", "system", "Bebrief.", ""]]);
    expect(shown("user", [image, page])).toEqual([
      ["user", "media", "AAAA", ""],
      ["user", "media", "https://example.com", ""],
    ]);
    expect(shown("user", [opaque])).toEqual([["user", "media", '{"type":"x"}', ""]]);
    expect(shown("assistant", [opaque])).toEqual([["assistant", "silent", "", ""]]);
  });
});

describe("divideSteps", () => {
  const LOG = [
    user("What is there?"),
    assistant([text("I look."), call("a"), call("b")]),
    user([result("a"), result("b")]),
    assistant([text("Once more."), call("c")]),
    user([result("c")]),
    assistant("A tree."),
  ];
  const shown = (groups: Awaited<ReturnType<typeof divideSteps>>) =>
    groups.map(({ role, parts }) => [role, ...parts.map(({ key }) => key)].join(" "));
  const divided = async (list: readonly SyncMessage[]) => shown(await divideSteps(listGroups(list, 0), ourGroups(LOG)));

  test("divides a merged answer as in the log, each step with its own results", async () => {
    const calls = assistant([text("I look."), call("a"), call("b"), text("Once more."), call("c"), text("So.")]);
    const results = user([result("c"), result("b"), result("a"), text("Go on.")]);
    expect(await divided([LOG[0]!, calls, results, assistant("A tree.")])).toEqual([
      "user Whatisthere?",
      "assistant Ilook. a b",
      "user b a",
      "assistant Oncemore. c So.",
      // Other content comes after the last result.
      "user c Goon.",
      "assistant Atree.",
    ]);
  });

  test("leaves a step without its results alone, and adds an unknown call to the previous step", async () => {
    const calls = assistant([call("a"), call("new"), call("c")]);
    expect(await divided([LOG[0]!, calls, user([result("c")])])).toEqual([
      "user Whatisthere?",
      "assistant a new",
      "assistant c",
      "user c",
    ]);
  });

  test.each([
    ["it is divided already", LOG],
    ["no results follow", [LOG[0]!, assistant([call("a"), call("c")])]],
    ["all calls are of one step", [LOG[0]!, assistant([call("a"), call("b")]), user([result("a"), result("b")])]],
  ])("returns the list itself with nothing to divide: %s", async (_, list) => {
    const groups = listGroups(list, 0);
    expect(await divideSteps(groups, ourGroups(LOG))).toBe(groups);
  });
});
