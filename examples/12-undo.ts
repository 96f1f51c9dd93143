/** Nothing is lost: going back behind compactions, unfolding one, taking a message out and in, and reading what was folded. */
import Anthropic from "@anthropic-ai/sdk";
import { answer, createAnthropic, type Script, serve, summarize } from "@palimpsest/provider-simulator";
import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

/** The simulated model forgets every name in its summaries: whatever is found later was not found there. */
const script: Script = ({ purpose }) => (purpose === "summary" ? summarize(FORGETFUL) : answer("Noted."));
const FORGETFUL = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((number) => `## ${number}. Section\nSomething was said about ships, and the work goes on from there.`)
  .join("\n");

const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
const session = await openSession({ store: memoryStore(), provider: anthropic(client), model: "claude-opus-5-5" });

async function say(words: string): Promise<number> {
  const [entry] = await session.append(words);
  await session.record(await client.messages.create(await session.prepare()));
  return entry!;
}

async function compacted(): Promise<number> {
  const outcome = await session.compact();
  if (outcome.kind !== "compacted") throw new Error(`not compacted: ${outcome.kind}`);
  return outcome.boundary;
}

function check(what: string, holds: boolean): void {
  console.log(`${holds ? "yes" : "NO "}  ${what}`);
  if (!holds) throw new Error(what);
}

const requestNow = async (): Promise<string> => JSON.stringify(await session.prepare());
const ships = ["Santa Maria", "Endeavour", "Beagle", "Fram"];
const entries: number[] = [];
for (const ship of ships.slice(0, 2)) entries.push(await say(`The ${ship} sailed. ${"Waves and wind. ".repeat(700)}`));
await session.append("Where were we?");

// A point that can be gone back to, and the request that was made there.
const before = await requestNow();
const point = session.history.newestEntry;

await session.record(await client.messages.create(JSON.parse(before)));
const first = await compacted();
for (const ship of ships.slice(2)) entries.push(await say(`The ${ship} sailed. ${"Ice and storm. ".repeat(700)}`));
const second = await compacted();
console.log(`two compactions, one upon the other: boundaries ${first} and ${second}`);

// Recall, by number and by words: whatever was folded, however often.
const byNumber = await session.recall({ entry: entries[0]!, lines: 1 });
check(`entry ${entries[0]} is read again`, byNumber.kind === "text" && byNumber.text.startsWith("The Santa Maria"));
const byWords = await session.recall({ search: "endeavour" });
const hits = byWords.kind === "entries" ? byWords.hits.map(({ sequence }) => sequence) : [];
check(`"endeavour" is found in entry ${entries[1]}`, hits.includes(entries[1]!));

// Unfold: the newest boundary alone. What it had folded is shown again; what the first had folded is not.
await session.history.restore(second);
const unfolded = await requestNow();
check("unfolded: the Fram is shown in full", unfolded.includes(`The Fram sailed. ${"Ice and storm. ".repeat(700)}`));
check("and that it was taken back can be read", (await session.history.explain(1))[0]!.inEffect === "taken-back");

// Snip: one message out of view, and back.
const size = session.view.size().tokens;
const snip = await session.history.snip({ from: entries[2]!, to: entries[2]! }, "a wrong track");
const sizeWithout = session.view.size().tokens;
check(
  `snipped: ${size} tokens are ${sizeWithout} now`,
  sizeWithout < size && !(await requestNow()).includes("The Beagle"),
);
await session.history.restore(snip);
check("restored: the Beagle is back", (await requestNow()).includes("The Beagle sailed."));

// Rewind: all of it, to the point before the first compaction.
await session.history.rewind(point);
check("rewound: the request is the one before, byte for byte", (await requestNow()) === before);

const explained = await session.history.explain();
for (const { boundary, from, to, inEffect } of explained)
  console.log(`boundary ${boundary}: entries ${from} to ${to}, ${inEffect}`);
check(
  "no boundary is in effect, and each is still explained",
  explained.every(({ inEffect }) => inEffect === "taken-back"),
);
const fram = await session.recall({ search: "fram" });
check("what came after is on its own branch, and still found", fram.kind === "entries" && fram.hits.length > 0);
await server.close();
