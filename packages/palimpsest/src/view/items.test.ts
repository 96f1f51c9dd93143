import { expect, test } from "vitest";
import type { MessagePayload } from "../log/payload.ts";
import { fileOf, messageItem } from "./items.ts";

const least: MessagePayload = { role: "assistant", origin: "model", blocks: [{ kind: "text", text: "Yes." }] };
const known = {
  provenance: { kind: "model" },
  responseId: "r",
  answers: 3,
  provider: "anthropic",
  stored: { file: "f", bytes: 1, lines: 1, digest: "d" },
  stop: "paused",
} as const satisfies Partial<MessagePayload>;

test("copies only the present fields of a message to its item", () => {
  expect(messageItem(7, { ...least, ...known })).toMatchObject({ from: 7, to: 7, ...least, ...known });
  for (const name of Object.keys(known)) expect(messageItem(7, least)[name as "provenance"]).toBeUndefined();
});

test.each([
  ["Read", { file_path: "a" }, { path: "a", access: "read" }],
  ["view_file", { path: "a" }, { path: "a", access: "read" }],
  ["MultiEdit", { filePath: "a" }, { path: "a", access: "edit" }],
  ["list", { path: "a" }, undefined],
  ["Read", { path: 1 }, undefined],
  ["Read", null, undefined],
  ["Read", "a", undefined],
])("fileOf a call of %s with %j is %j", (name, input, file) => {
  expect(fileOf({ kind: "tool_call", id: "1", name, input })).toEqual(file);
});
