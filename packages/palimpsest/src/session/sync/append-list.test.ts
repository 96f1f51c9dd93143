import { expect, test } from "vitest";
import { readEntry } from "../../state/load.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { LOOK, openOffline } from "../testing/open-offline.ts";
import { assistant, call, result, text, user } from "../testing/sync-groups.ts";
import { findEdited } from "./align.ts";
import type { SyncMessage } from "./conversation.ts";

/** A session that takes lists over, and the kinds of its entries, with the request that each answers. */
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
  return { session, kinds, reader };
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
    "words of the user behind a result, in two lists",
    [LOOKING, [...LOOKING, user("And?")]],
    ["message", "message", "message", "message"],
  ],
  [
    "an answer behind a result",
    [[...LOOKING, assistant("A tree.")]],
    ["message", "message", "message", "request", "answer to 4"],
  ],
  [
    "an answer behind a result, in two lists",
    [LOOKING, [...LOOKING, assistant("A tree.")]],
    ["message", "message", "message", "request", "answer to 4"],
  ],
  ["words of the user behind a result", [[...LOOKING, user("And?")]], ["message", "message", "message", "message"]],
  [
    "rounds of calls",
    [[...LOOKING, assistant([call("b")]), user([result("b")]), assistant("Both."), user("Thanks.")]],
    ["message", "message", "message", "request", "answer to 4", "message", "request", "answer to 7", "message"],
  ],
])("a list is entered with the requests that somebody else has made: %s", async (_, lists, expected) => {
  const { session, kinds } = await open();
  for (const list of lists) await session.sync(list);
  expect((await kinds()).filter((kind) => kind !== "turn")).toEqual(expected);
});

test("of entries that came back altered, those that are failed results are not edits", async () => {
  const { session, reader } = await open();
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
