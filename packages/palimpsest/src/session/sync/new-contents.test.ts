import { expect, test } from "vitest";
import { assistant, call, result, text, user } from "../testing/sync-groups.ts";
import { leadingSystem } from "./leading-system.ts";
import { newContents, SYSTEM_ATTACHMENT } from "./new-contents.ts";
import type { SyncMessage } from "./sync-message.ts";
import { toParts } from "./to-parts.ts";

const system = (content: SyncMessage["content"]): SyncMessage => ({ role: "system", content });
const entered = (list: readonly SyncMessage[], first = 1) =>
  newContents(
    list.flatMap(({ role, content }, index) => toParts(role, content, index)),
    first,
  );

test("what one message says stays together; results, calls and words of the user have their own origin", () => {
  const contents = entered([
    user([text("Look."), text("There.")]),
    assistant([text("I look."), call("a")]),
    user([result("a"), text("And?")]),
    user("Go on."),
  ]);
  expect(contents).toMatchObject([
    { role: "user", origin: "human", blocks: [text("Look."), text("There.")] },
    { role: "assistant", origin: "model", blocks: [text("I look."), call("a")] },
    { role: "user", origin: "tool", blocks: [result("a")] },
    { role: "user", origin: "human", blocks: [text("And?")] },
    { role: "user", origin: "human", blocks: [text("Go on.")] },
  ]);
});

test("each answer is a response of its own, within a list and from one list to the next", () => {
  const list = [assistant("One."), assistant("Two."), user("And?"), assistant("Three.")];
  const ids = [...entered(list, 10), ...entered(list, 20)].flatMap((content) =>
    typeof content === "object" && "responseId" in content ? [content.responseId] : [],
  );
  expect(ids).toHaveLength(6);
  expect(new Set(ids).size).toBe(6);
  expect(entered([user("And?")])[0]).not.toHaveProperty("responseId");
});

test("a system message in the middle is an attachment, apart from the words beside it", () => {
  const contents = entered([user("Go."), system("Mind the gap."), user("On.")]);
  expect(contents).toHaveLength(3);
  expect(contents[1]).toMatchObject({ type: SYSTEM_ATTACHMENT, blocks: [text("Mind the gap.")] });
});

test.each<[string, readonly SyncMessage[], readonly string[]]>([
  ["none", [], []],
  ["none at the front", [user("Go."), system("Late.")], []],
  ["one", [system("Be short."), user("Go.")], ["Be short."]],
  ["some, and one in the middle", [system("A."), system("B."), user("Go."), system("C.")], ["A.", "B."]],
  ["nothing else", [system("A."), system("B.")], ["A.", "B."]],
  ["one of several texts", [system([text("A."), call("a"), text("B.")]), user("Go.")], ["A.\n\nB."]],
])("the system messages that a list begins with: %s", (_, list, expected) => {
  expect(leadingSystem(list)).toEqual(expected);
});
