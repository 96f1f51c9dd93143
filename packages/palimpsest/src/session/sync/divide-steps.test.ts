import { expect, test } from "vitest";
import { assistant, call, ourGroups, result, text, user } from "../testing/sync-groups.ts";
import { divideSteps, listGroups, type SyncMessage } from "./conversation.ts";

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

test("answers that stand as one are divided as the log has them, each with its own results", async () => {
  const calls = assistant([text("I look."), call("a"), call("b"), text("Once more."), call("c"), text("So.")]);
  const results = user([result("c"), result("b"), result("a"), text("Go on.")]);
  expect(await divided([LOG[0]!, calls, results, assistant("A tree.")])).toEqual([
    "user Whatisthere?",
    "assistant Ilook. a b",
    "user b a",
    "assistant Oncemore. c So.",
    // What is no result stands behind the last of them.
    "user c Goon.",
    "assistant Atree.",
  ]);
});

test("an answer whose results are missing stands alone, and a call that the log does not have with the one before it", async () => {
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
])("a list stays as it is where there is nothing to divide: %s", async (_, list) => {
  const groups = listGroups(list, 0);
  expect(await divideSteps(groups, ourGroups(LOG))).toBe(groups);
});
