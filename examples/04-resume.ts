/** A session that outlives its process, and one that goes back in time: the request is the same, byte for byte. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic, serve } from "@palimpsest/provider-simulator";
import { openSession, type Session } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
const server = await serve({ faces: [createAnthropic()] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });

/** As if in a process of its own: nothing is shared but the folder. */
async function inNewProcess(act: (session: Session) => Promise<void>): Promise<void> {
  const store = sqliteStore({ folder });
  await act(await openSession({ store, id: "trip", provider: anthropic(client), model: "claude-opus-5-5" }));
  await store.close();
}

const report = Array.from({ length: 9_000 }, (_, row) => `${row + 1}: a train to station ${(row * 7) % 9_000}`).join(
  "\n",
);
let request = "";
let point = 0;
let stored: number | undefined;
await inNewProcess(async (session) => {
  await session.append("Where shall we go?");
  const { text } = await session.record(await client.messages.create(await session.prepare()));
  console.log(text);
  // Too large for the conversation: the store keeps it beside the log, and the model sees a preview.
  [, stored] = await session.append(["By train, please.", `All trains of today:\n${report}`]);
  request = JSON.stringify(await session.prepare());
  point = session.history.newestEntry;
});

await inNewProcess(async (session) => {
  console.log("resumed, same bytes:", JSON.stringify(await session.prepare()) === request);
  const recalled = await session.recall({ entry: stored!, search: "station 4321" });
  console.log("recalled:", recalled.kind === "lines" ? recalled.found.map(({ text }) => text).join() : recalled.kind);
  await session.append("No: by bicycle.");
  await session.record(await client.messages.create(await session.prepare()));
  await session.history.rewind(point);
  console.log("rewound, same bytes:", JSON.stringify(await session.prepare()) === request);
  console.log(`${(await Array.fromAsync(session.history.export())).length} entries, nothing lost`);
});

await server.close();
rmSync(folder, { recursive: true });
