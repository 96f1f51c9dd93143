import { describe, expect, test } from "vitest";
import { assistant, call, type Logged, ourGroups, result, text, user } from "../testing/sync-groups.ts";
import { align } from "./align.ts";
import { listGroups } from "./list-groups.ts";
import type { SyncMessage } from "./sync-message.ts";

const LOG: readonly Logged[] = [user("One."), assistant("1"), user("Two."), assistant("2")];

async function aligned(list: readonly SyncMessage[], log: readonly Logged[]) {
  const { fresh, ...rest } = await align(listGroups(list, 0), ourGroups(log));
  return { ...rest, fresh: fresh.map(({ key, says, stream }) => (stream === "silent" ? stream : key || says)) };
}

describe("a list beside a log", () => {
  test.each<[string, readonly SyncMessage[], object]>([
    ["the same", LOG, { fresh: [], groups: 4 }],
    ["one that goes on", [...LOG, user("Three.")], { fresh: ["Three."], groups: 4 }],
    ["one that goes on in the last message", [...LOG, assistant("b")], { fresh: ["b"], groups: 4 }],
    ["one that has lost its end", LOG.slice(0, 2), { cutAt: 3, fresh: [], groups: 2 }],
    ["an edit", [...LOG.slice(0, 2), user("2."), LOG[3]!], { cutAt: 3, fresh: ["2.", "2"], groups: 2 }],
    [
      "an insertion",
      [LOG[0]!, user("More."), ...LOG.slice(1)],
      { cutAt: 2, fresh: ["More.", "1", "Two.", "2"], groups: 1 },
    ],
    ["another beginning", [assistant("1")], { cutAt: 1, fresh: ["1"], groups: 0 }],
  ])("is followed to the first difference: %s", async (_, list, wanted) => {
    expect(await aligned(list, LOG)).toEqual({ altered: [], ...wanted });
  });

  test("what the host has put in stays, where the list does not have it", async () => {
    const hosted: Logged = { ...user("By the way."), presence: "optional" };
    const log = [LOG[0]!, LOG[1]!, hosted, LOG[3]!];
    expect(await aligned([LOG[0]!, assistant("1"), assistant("2")], log)).toMatchObject({ cutAt: 4, fresh: ["2"] });
    expect(await aligned(LOG.slice(0, 2), log.slice(0, 3))).toEqual({ altered: [], fresh: [], groups: 2 });
  });

  test("of a group that lacks something, only what stands behind that is said again", async () => {
    const log = [user("One."), user("Two."), user("Three."), assistant("1")];
    const list = [user("One."), user("Three."), assistant("1")];
    expect(await aligned(list, log)).toEqual({ cutAt: 2, fresh: ["Three.", "1"], altered: [], groups: 0 });
  });

  test("results that came back altered are named, up to the cut", async () => {
    const log = [user("Go."), assistant([call("a")]), user([result("a")]), assistant("Done.")];
    const list = [user("Go."), assistant([call("a")]), user([result("a", "A lake.")]), assistant("Well.")];
    expect(await aligned(list, log)).toEqual({ cutAt: 4, fresh: ["Well."], altered: [3], groups: 3 });
  });

  test("what was added to the user's last message is new, and what was added to an answer is its own", async () => {
    const grown = [user([text("One."), text("More.")])];
    expect(await aligned(grown, LOG.slice(0, 1))).toEqual({ altered: [], fresh: ["More."], groups: 1 });
    const longer = [LOG[0]!, assistant([text("1"), text("b")])];
    expect(await aligned(longer, LOG.slice(0, 2))).toEqual({ altered: [2], fresh: [], groups: 2 });
  });

  test("thinking is new with the words of its message, and not beside words that are known", async () => {
    const thinking = { kind: "thinking", text: "Hm.", native: { provider: "anthropic", block: {} } } as never;
    const known = [user("Go."), assistant([thinking, text("1")])];
    expect((await aligned(known, [user("Go."), assistant("1")])).fresh).toEqual([]);
    const more = [...known, assistant([thinking, text("2")])];
    expect((await aligned(more, [user("Go."), assistant("1")])).fresh).toEqual(["silent", "2"]);
  });
});
