import { describe, expect, test } from "vitest";
import { memoryStore } from "../../stores/memory-store.ts";
import { openOffline } from "../testing/open-offline.ts";
import { assistant, call, type Logged, ourGroups, text, user } from "../testing/sync-groups.ts";
import { matchGroup } from "./align.ts";
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
