import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, type Script, serve, summarize } from "@palimpsest/provider-simulator";
import { afterAll, describe, expect, test } from "vitest";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { openSession } from "../session/open.ts";
import { memoryStore } from "../stores/memory-store.ts";

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const MODEL = "claude-opus-5-5";
const LEAST_WARM_TOKENS = 100_000;
const LEAST_READ_SHARE = 0.95;
const SUMMARY = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Title\nIn part ${index + 1} the loader was renamed, tested twice and left as it is.`,
).join("\n");

/** Sessions as users have them: a client of their own, tools, and more than 100,000 tokens that were just sent. */
async function warmSession() {
  const script: Script = ({ purpose }) => (purpose === "summary" ? summarize(SUMMARY) : answer("That part is done."));
  const server = await serve({ faces: [createAnthropic({ script })] });
  closers.push(() => server.close());
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 }));
  const session = await openSession({
    store: memoryStore({ leaseMs: 0 }),
    provider,
    model: MODEL,
    system: "Be brief.",
    tools: [{ name: "look", inputSchema: { type: "object" } }],
    settings: { compaction: "off" },
    settingsFrom: { environment: {} },
  });
  for (let round = 0; round < 6; round++) {
    await session.append(`Part ${round}: ${`word${round} `.repeat(11_500)}`);
    const request = await session.prepare();
    await session.record(await readStream(provider.send(request)), request);
  }
  expect(session.view.size().tokens).toBeGreaterThan(LEAST_WARM_TOKENS);
  const spentBy = async (source: string) => (await session.ledger.cost()).bySource[source]!;
  return { session, spentBy };
}

function readShare(spent: { freshTokens: number; cacheReadTokens: number; cacheWriteTokens: number }): number {
  return spent.cacheReadTokens / (spent.freshTokens + spent.cacheReadTokens + spent.cacheWriteTokens);
}

describe("on a warm prompt of more than 100,000 tokens", () => {
  test("the call for a summary reads at least 95% of its input from the cache", async () => {
    const { session, spentBy } = await warmSession();
    const outcome = await session.compact();
    expect(outcome).toMatchObject({ kind: "compacted", summary: { way: "fork" }, modelCalls: 1 });
    const spent = await spentBy("compact");
    expect(spent.cacheReadTokens).toBeGreaterThan(LEAST_WARM_TOKENS);
    expect(readShare(spent)).toBeGreaterThanOrEqual(LEAST_READ_SHARE);
  });

  test("so does a question beside the conversation, as notes are taken by", async () => {
    const { session, spentBy } = await warmSession();
    const question = `Bring these notes up to date:\n${"## A section\nWhat is known so far, in some words.\n".repeat(40)}`;
    const { usage } = await session.ask(question, { source: "session_notes" });
    expect(usage.cacheReadTokens).toBeGreaterThan(LEAST_WARM_TOKENS);
    expect(readShare(usage)).toBeGreaterThanOrEqual(LEAST_READ_SHARE);
    expect(await spentBy("session_notes")).toMatchObject({ cacheReadTokens: usage.cacheReadTokens });
  });
});
