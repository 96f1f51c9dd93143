import { memoryStore, openSession, type Session } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite-store";

/** Report of a process with many open sessions, in one line of JSON. */
export interface Crowd {
  readonly openSeconds: number;
  /** Of append + prepare, one for each session, in the order of their size. */
  readonly turnMs: readonly number[];
  /** The highest since its start. */
  readonly rssMb: number;
}

const [count, folder] = process.argv.slice(2);
const store = folder === undefined ? memoryStore() : sqliteStore({ folder });
// Nothing is sent through it.
const provider = anthropic({} as never);
const openedAtMs = performance.now();
const sessions: Session[] = [];
for (let index = 0; index < Number(count); index++) {
  sessions.push(await openSession({ id: `session-${index}`, store, provider, model: "claude-sonnet-4-6" }));
}
const openSeconds = (performance.now() - openedAtMs) / 1_000;
const turnMs: number[] = [];
for (const session of sessions) {
  const startedAtMs = performance.now();
  await session.append("Fix the failing test.");
  await session.prepare();
  turnMs.push(performance.now() - startedAtMs);
}
const rssMb = process.resourceUsage().maxRSS / 1_024;
turnMs.sort((one, other) => one - other);
console.log(JSON.stringify({ openSeconds, turnMs, rssMb } satisfies Crowd));
// Ten thousand sessions are closed with the process: that is no part of what is measured.
