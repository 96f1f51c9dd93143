import { expect, test } from "vitest";
import type { Terminal } from "../terminal.ts";
import { createReport, type OutputFormat } from "./turn-report.ts";

async function reportUnknown(format: OutputFormat) {
  const [printed, said]: [string[], string[]] = [[], []];
  const terminal = {
    print: async (text: string) => void printed.push(text),
    say: (text: string) => void said.push(text),
  } as unknown as Terminal;
  const report = createReport(format, terminal);
  const call = { kind: "tool_call", id: "1", name: "Bash", input: { command: "git push" } } as const;
  await report.event({ kind: "tool-ended", call, status: "error", how: "unknown" });
  await report.begin({ session: "s", model: "m", folder: "/f" });
  return { printed: printed.join("\n"), said: said.join("\n") };
}

test("tells the person about a call with an unknown outcome, in every format", async () => {
  const words = /^Bash git push: Palimpsest ended while this call was open/;
  expect((await reportUnknown("text")).said).toMatch(words);
  expect((await reportUnknown("json")).said).toMatch(words);
  const stream = await reportUnknown("stream-json");
  expect(stream.said).toBe("");
  // Events from before the opening of the session follow the first line.
  expect(stream.printed.split("\n").map((line) => JSON.parse(line))).toMatchObject([
    { kind: "stream-started", version: 1, session: "s", model: "m", folder: "/f" },
    { kind: "tool-ended", how: "unknown" },
  ]);
});
