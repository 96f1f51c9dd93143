import { globSync, readFileSync } from "node:fs";
import { importLog, memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { readPayload } from "palimpsest/core";
import { expect, test } from "vitest";

const samples = globSync("test/logs/*/*.jsonl").sort();

test("there is a log of the first release", () => {
  expect(samples).toContain("test/logs/0.1.0/all-kinds.jsonl");
});

test.each(samples)("%s renders the bytes that it rendered when it was written", async (path) => {
  const store = memoryStore({ leaseMs: 0 });
  const opened = await store.openWriter("s", { owner: "import" });
  if (opened.kind !== "opened") throw new Error("a new log is free");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(await importLog(opened.writer, lines)).toEqual({ kind: "imported", entries: lines.length });
  const entries = await opened.writer.read(1, lines.length);
  expect(entries.filter((entry) => readPayload(entry).kind === "passed-over")).toEqual([]);
  const requests = JSON.parse(readFileSync(path.replace(".jsonl", ".requests.json"), "utf8")) as Record<
    string,
    unknown
  >;
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
