import { expect, test } from "vitest";
import { assistant, call, ourGroups, result, text, user } from "../testing/sync-groups.ts";
import { align, findPruned } from "./align.ts";

import { listGroups, type SyncMessage } from "./conversation.ts";

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
