import { describe, expect, test } from "vitest";
import type { SyncMessage } from "../session/sync/conversation.ts";
import { chainOf, chooseSession } from "./recognize.ts";

const user = (content: string): SyncMessage => ({ role: "user", content });
const answer = (content: string): SyncMessage => ({ role: "assistant", content });
const list = [user("one"), answer("1"), user("two"), answer("2")];

describe("a list of messages", () => {
  test("has the same chain however its texts are divided and whatever tools answered", () => {
    const call: SyncMessage = {
      role: "assistant",
      content: [{ kind: "tool_call", id: "c1", name: "look", input: {} }],
    };
    const result = (content: string): SyncMessage => ({
      role: "user",
      content: [{ kind: "tool_result", callId: "c1", content, status: "ok" }],
    });
    const [one, other] = [
      [user("Hi, you."), call, result("a tree"), answer("Done.")],
      [user("Hi,"), user(" you."), call, result("Error"), answer("Do"), answer("ne.")],
    ].map(chainOf);
    expect(one).toEqual(other);
    expect(one!.points).toHaveLength(1);
  });

  test("belongs to the session that it continues furthest", () => {
    const { points } = chainOf([...list, user("three")]);
    const longer = { id: "longer", points: chainOf(list).points };
    const shorter = { id: "shorter", points: chainOf(list.slice(0, 2)).points };
    expect(chooseSession(points, [shorter, longer])).toBe("longer");
  });

  test("belongs to no session if two match equally far or nothing was answered yet", () => {
    const { points } = chainOf(list);
    expect(
      chooseSession(points, [
        { id: "a", points },
        { id: "b", points },
      ]),
    ).toBeUndefined();
    expect(chooseSession(chainOf([user("one")]).points, [{ id: "a", points }])).toBeUndefined();
  });
});
