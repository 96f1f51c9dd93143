import { describe, expect, test } from "vitest";
import { memoryStore } from "../../stores/memory-store.ts";
import { openOffline } from "../testing/open-offline.ts";
import { assistant, call, type Logged, ourGroups, result, text, user } from "../testing/sync-groups.ts";
import { listGroups } from "./list-groups.ts";
import { matchGroup } from "./match-group.ts";
import type { SyncMessage } from "./sync-message.ts";

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

  test("texts are found in their order, however they are divided, calls and results wherever they stand", async () => {
    expect(
      await match([user([text("One. "), text("Two.")]), user("Three.")], [user("One. Two."), user("Three.")]),
    ).toEqual({ matched: ["One. 1", "Two. 1", "Three. 2"], altered: [] });
    expect(await match([user("Two."), user("One.")], [user("One."), user("Two.")])).toMatchObject({ missingAt: 1 });
    const turned = await match([user([result("b"), result("a")])], [user([result("a")]), user([result("b")])]);
    expect(turned).toEqual({ matched: ["a 1", "b 2"], altered: [] });
  });

  test("what is missing is cut at the first of it, and nothing behind that counts as altered", async () => {
    const log = [user([result("a")]), { ...user("Two."), cutAt: 2 }, user([result("c")]), user("Four.")];
    const list = [user([result("a", "other"), result("c", "other")]), user("Four.")];
    expect(await match(list, log)).toMatchObject({ missingAt: 2, altered: [1] });
  });

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

  test("an erased message is whatever stands in its place", async () => {
    const log = [user("One."), { ...user("Erased."), erased: true }];
    expect(await match([user("One."), user([text("A"), text("secret.")])], log)).toEqual({
      matched: ["One. 1", "A 2", "secret. 2"],
      altered: [],
    });
    expect(await match([user("One.")], log)).toMatchObject({ missingAt: 2 });
  });
});
