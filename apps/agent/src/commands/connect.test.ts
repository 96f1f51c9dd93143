import { createAnthropic, fetchInProcess, idleClock } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, query, type SessionEvent, tool } from "palimpsest";
import { byProvider, coding } from "palimpsest/policy";
import { expect, test } from "vitest";
import { connect } from "./connect.ts";

const choice = { provider: "anthropic", model: "claude-opus-5-5", key: "none", keyName: "ANTHROPIC_API_KEY" } as const;

/** The betas that the requests of some turns ask for. */
async function betasOf(baseUrl?: string): Promise<readonly string[]> {
  const betas: string[] = [];
  const face = createAnthropic({
    script: ({ toolResults, turn }) => ({
      words:
        toolResults.length === 0 || turn < 20
          ? [{ kind: "tool-call", name: "read", input: { turn } }]
          : [{ kind: "text", text: "Done." }],
    }),
  });
  const inProcess = fetchInProcess({ face, clock: idleClock() });
  const fetch: typeof globalThis.fetch = (url, init) => {
    betas.push(new Headers(init?.headers).get("anthropic-beta") ?? "");
    return inProcess(url, init);
  };
  const provider = await connect({ ...choice, ...(baseUrl === undefined ? {} : { baseUrl }) }, { fetch });
  const events: SessionEvent[] = [];
  const session = await openSession({
    store: memoryStore(),
    provider,
    model: choice.model,
    onEvent: (event: SessionEvent) => void events.push(event),
    policy: { ...coding(), clear: [byProvider({ aboveTokens: 1_000, freeAtLeastTokens: 100, keepNewest: 3 })] },
    settingsFrom: { environment: {} },
    tools: [{ name: "read", inputSchema: { type: "object" }, results: "clearable" }],
  });
  const read = tool({
    name: "read",
    description: "Reads.",
    inputSchema: { type: "object" },
    results: "clearable",
    execute: () => "A line of a file that was read. ".repeat(100),
  });
  for await (const _ of query(session, { prompt: "Read all of it.", tools: [read] }));
  await session.close();
  return betas;
}

test("asks the original service to clear stale results, but not a compatible server", async () => {
  expect((await betasOf()).some((beta) => beta.includes("context-management"))).toBe(true);
  expect((await betasOf("http://localhost:9")).join()).not.toContain("context-management");
});
