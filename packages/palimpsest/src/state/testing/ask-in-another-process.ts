// A process that opens a session, asks the model once, and prints each step. Tests start it.

import Anthropic from "@anthropic-ai/sdk";
import { anthropic } from "../../providers/anthropic.ts";
import { openSession } from "../../session/open.ts";
import { sqliteStore } from "../../stores/sqlite-store.ts";
import { query } from "../../turn/query.ts";

const [folder, url, leaseMs] = process.argv.slice(2) as [string, string, string];
const store = sqliteStore({ folder, leaseMs: Number(leaseMs) });
const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 }));
const session = await openSession({
  store,
  id: "s",
  provider,
  model: "claude-opus-5-5",
  owner: "the asker",
  settingsFrom: { environment: {} },
});
process.stdout.write("open\n");
for await (const event of query(session, { prompt: "Think about it." })) {
  if (event.kind === "turn-ended") process.stdout.write(`${event.outcome.kind}\n`);
}
await session.close();
process.stdout.write("closed\n");
process.stdin.once("data", () => process.exit());
