import { readFileSync } from "node:fs";
import { importLog, memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { readPayload } from "palimpsest/inspect";
import { expect, test } from "vitest";

test("the golden log renders the bytes that it rendered when it was written", async () => {
  const store = memoryStore({ leaseMs: 0 });
  const opened = await store.openWriter("s", { owner: "import" });
  if (opened.kind !== "opened") throw new Error("a new log is free");
  const lines = readFileSync("test/logs/all-kinds.jsonl", "utf8").trimEnd().split("\n");
  expect(await importLog(opened.writer, lines)).toEqual({ kind: "imported", entries: lines.length });
  const entries = await opened.writer.read(1, lines.length);
  expect(entries.filter((entry) => readPayload(entry).kind === "passed-over")).toEqual([]);
  const requests = JSON.parse(readFileSync("test/logs/all-kinds.requests.json", "utf8")) as Record<string, unknown>;
  expect(Object.keys(requests).length).toBeGreaterThan(0);
  for (const [entry, request] of Object.entries(requests)) {
    // What was configured when the log was written is in it, and stays so; rendering does not call the client.
    const session = await openSession({
      store,
      id: "s",
      takeover: "always",
      provider: anthropic({} as never, { cacheDiagnostics: "asked" }),
    });
    await session.history.rewind(Number(entry));
    expect(JSON.parse(JSON.stringify(await session.prepare()))).toEqual(request);
  }
});
