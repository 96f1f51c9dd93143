/** A tool that runs for forty minutes, and a prompt cache that forgets after five: with pings, and without. */
import Anthropic from "@anthropic-ai/sdk";
import { callTool, callTools, createAnthropic, inOrder, manualClock, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { coding, keepWarm } from "palimpsest/policy";

const PINGS = keepWarm({ whileToolRuns: 11, whileWaiting: 2, capUsd: 0.5 });

const MINUTE_MS = 60_000;

async function bill(pings: "on" | "off"): Promise<number> {
  const clock = manualClock();
  const script = inOrder([callTools(callTool("build", {}))]);
  const server = await serve({ clock, faces: [createAnthropic({ clock, script })] });
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const session = await openSession({
    store: memoryStore(),
    provider: anthropic(client),
    model: "claude-opus-5-5",
    system: "You are a careful engineer. ".repeat(10_000),
    tools: [{ name: "build", inputSchema: { type: "object" } }],
    policy: coding("balanced", pings === "on" ? { keepWarm: PINGS } : {}),
    settingsFrom: { environment: {} },
    clock,
  });
  await session.append("Build it.");
  const { calls } = await session.record(await client.messages.create(await session.prepare()));

  // The tool runs. A program would await it here, and abort when it is done; time is passed by hand.
  const done = new AbortController();
  const waiting = session.provider.keepWarm({ activity: "tool-runs", signal: done.signal });
  await clock.pass(40 * MINUTE_MS, waiting);
  done.abort();
  const kept = await waiting;

  await session.append(toolResult(calls[0]!.id, "Built in 40 minutes."));
  const { usage } = await session.record(await client.messages.create(await session.prepare()));
  const { priceUsd, bySource } = await session.ledger.cost();
  console.log(`pings ${pings}: ${kept.pings} sent for $${(bySource["keep-warm"]?.priceUsd ?? 0).toFixed(4)}`);
  console.log(`  the next request read ${usage.cacheReadTokens} tokens and wrote ${usage.cacheWriteTokens}`);
  console.log(`  together $${priceUsd.toFixed(4)}`);
  await server.close();
  return priceUsd;
}

const [without, withPings] = [await bill("off"), await bill("on")];
console.log(`keeping it warm saved $${(without - withPings).toFixed(4)} of $${without.toFixed(4)}`);
if (withPings >= without) throw new Error("the pings have cost more than they saved");
