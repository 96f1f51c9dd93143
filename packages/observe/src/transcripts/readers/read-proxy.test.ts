import { expect, test } from "vitest";
import { readProxy } from "./read-proxy.ts";
import type { RecordedEntry } from "./recorded.ts";

const HEAD = { proxy: 1, id: "t1", api: "messages", upstream: "service", atMs: 1 };
const user = (content: unknown): object => ({ role: "user", content });
const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
const request = (number: number, how: object, items: readonly object[]): object => ({
  type: "request",
  number,
  atMs: 10 * number,
  echoed: 0,
  ...how,
  items,
});
const response = (number: number, text: string): object => ({
  type: "response",
  number,
  atMs: 10 * number + 5,
  id: `r${number}`,
  items: [{ role: "assistant", content: [{ type: "text", text }] }],
  usage,
  ended: "whole",
});

async function read(...records: readonly object[]): Promise<RecordedEntry[]> {
  async function* lines() {
    for (const [index, record] of [HEAD, ...records].entries()) {
      yield { kind: "line" as const, number: index + 1, text: JSON.stringify(record) };
    }
  }
  return Array.fromAsync(readProxy(lines()));
}

const texts = (entries: readonly RecordedEntry[]): string[] =>
  entries.flatMap((entry) =>
    entry.kind === "message" ? entry.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])) : [],
  );

test("each message comes once, though clients send all of them each time", async () => {
  const entries = await read(
    request(1, { relation: "begins" }, [user("one")]),
    response(1, "first"),
    request(2, { relation: "continues", kept: 1, echoed: 1 }, [user("two")]),
    response(2, "second"),
  );
  expect(texts(entries)).toEqual(["one", "first", "two", "second"]);
  expect(entries.filter(({ kind }) => kind === "usage")).toHaveLength(2);
  expect(entries[0]).toEqual({ kind: "session", agent: "proxy", id: "t1", startedAtMs: 1, version: "1" });
});

test("what the model had said before the proxy was there belongs to another session", async () => {
  const before = { role: "assistant", content: "long ago" };
  const entries = await read(
    request(1, { relation: "begins" }, [user("one"), before, user("two")]),
    response(1, "now"),
  );
  const branches = entries.flatMap((entry) => (entry.kind === "message" ? [entry.branch] : []));
  expect(branches).toEqual(["main", "inherited", "main", "main"]);
});

test("a message that goes on from an earlier one has that one as its parent", async () => {
  const entries = await read(
    request(1, { relation: "begins" }, [user("one")]),
    response(1, "first"),
    request(2, { relation: "continues", kept: 1, echoed: 1 }, [user("two")]),
    response(2, "second"),
    request(3, { relation: "branches", kept: 2 }, [user("other")]),
  );
  const other = entries.at(-1);
  const first = entries.find((entry) => entry.kind === "message" && texts([entry])[0] === "first");
  expect(other).toMatchObject({ kind: "message", parentId: (first as { id: string }).id });
});

test("a conversation that was replaced is a compaction with all that is left", async () => {
  const entries = await read(
    request(1, { relation: "begins" }, [user("one")]),
    response(1, "first"),
    request(2, { relation: "replaced" }, [user("so far")]),
  );
  expect(entries.at(-1)).toMatchObject({
    kind: "compaction",
    kept: { kind: "replacement", messages: [{ blocks: [{ text: "so far" }] }] },
  });
});

test("results with other content are cleared", async () => {
  const entries = await read(
    request(1, { relation: "begins" }, [user("one")]),
    request(2, { relation: "cleared", kept: 1, calls: ["c1"] }, [user("two")]),
  );
  expect(entries.at(-2)).toMatchObject({ kind: "microcompaction", clearedCallIds: ["c1"] });
});
