import { expect, test } from "vitest";
import type { Synced, SyncMessage } from "../session/sync/conversation.ts";
import { findNotices } from "./notices.ts";

const whole: Synced = { kept: 1, appended: [], altered: [], edited: [], head: "whole", pruned: [] };
const list: readonly SyncMessage[] = [
  { role: "user", content: "one" },
  { role: "user", content: "two" },
];
const kindsOf = (...found: Parameters<typeof findNotices>) => findNotices(...found).map(({ kind }) => kind);

test("reports signs of another context manager, but not a user's edit", () => {
  expect(kindsOf(list, { ...whole, rewoundTo: 3 }, 0)).toEqual([]);
  expect(kindsOf(list, { ...whole, head: "trimmed" }, 0)).toEqual(["trimmed"]);
  expect(kindsOf(list, { ...whole, pruned: [3, 4] }, 2)).toEqual(["pruned", "cleared"]);
  expect(kindsOf(list, { ...whole, altered: [3, 4], edited: [3] }, 0)).toEqual(["edited"]);
  expect(kindsOf(list, { ...whole, altered: [3, 4], edited: [3] }, 2)).toEqual(["cleared"]);
  const replaced: readonly SyncMessage[] = [...list, { role: "assistant", content: "2" }];
  expect(kindsOf(replaced, { ...whole, rewoundTo: 3 }, 0)).toEqual(["replaced"]);
});
