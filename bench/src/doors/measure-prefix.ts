import type { Exchange } from "@palimpsest/provider-simulator";
import type { Store } from "palimpsest";
import { readEntries, readPayload } from "palimpsest/core";

export interface PrefixFigures {
  /** Of the bytes of requests that the next request should have begun with. */
  readonly keptPct: number;
  readonly requests: number;
  readonly compactions: number;
  /** How often the session went back because a message was edited. */
  readonly rewinds: number;
  /** Requests before which the session had decided to change what is shown, or the user had edited a message. */
  readonly decisions: number;
}

/** Entries that change what earlier requests have shown. */
const DECISIONS: readonly string[] = ["boundary", "replace", "restore", "rewind"];

/** Compares the bytes that the service received with the log: each request begins with the one before, but for decisions. */
export async function measurePrefix(
  exchanges: readonly Exchange[],
  store: Store,
  session: string,
): Promise<PrefixFigures> {
  const sent = exchanges.map(({ body }) => body).filter((body) => !body.includes("nine sections"));
  const { afterDecision, compactions, rewinds } = await readRequests(store, session);
  if (sent.length !== afterDecision.length) {
    throw new Error(`The service received ${sent.length} requests, and the log has ${afterDecision.length}.`);
  }
  const texts = sent.map(promptText);
  let [kept, all, decisions] = [0, 0, 0];
  for (const [index, text] of texts.entries()) {
    const before = texts[index - 1];
    if (before === undefined) continue;
    if (afterDecision[index]) decisions++;
    else {
      all += before.length;
      kept += commonLength(before, text);
    }
  }
  return { keptPct: (100 * kept) / all, requests: sent.length, compactions, rewinds, decisions };
}

/** Whether a decision lies between each request of a log and the one before it. */
async function readRequests(store: Store, session: string) {
  const log = await store.openReader(session);
  if (log === undefined) throw new Error(`There is no session ${session}.`);
  const afterDecision: boolean[] = [];
  let [decided, compactions, rewinds] = [false, 0, 0];
  for await (const entry of readEntries(log, 1, (await log.head()).sequence)) {
    const { kind } = readPayload(entry);
    if (kind === "boundary") compactions++;
    if (kind === "rewind") rewinds++;
    decided ||= DECISIONS.includes(kind);
    if (kind !== "request") continue;
    afterDecision.push(decided);
    decided = false;
  }
  await log.close();
  return { afterDecision, compactions, rewinds };
}

/** What a service caches by, in its order, without the marks, which move with the end. */
function promptText(body: string): string {
  const request = JSON.parse(body, (name, value) => (name === "cache_control" ? undefined : value));
  const { tools, system, instructions, messages, input } = request;
  return JSON.stringify([tools, system ?? instructions, messages ?? input]).slice(0, -2);
}

function commonLength(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let at = 0;
  while (one[at] === other[at]) at++;
  return at;
}
