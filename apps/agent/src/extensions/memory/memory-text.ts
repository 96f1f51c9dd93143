import { type Evidence, type Statement, toStatement } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import { readPayload } from "palimpsest/core";

const SAID: Readonly<Record<Statement["by"], string>> = {
  user: "You said",
  model: "The agent said",
  outside: "A tool or a file said",
};
const SESSION_CHARACTERS = 8;

/** What a memory rests on, one line for each quote: who said it, where, and the words. */
export async function describeEvidence(
  evidence: readonly Evidence[],
  store: Pick<Store, "openReader">,
): Promise<readonly string[]> {
  if (evidence.length === 0) return ["Evidence: none. Nobody's words are quoted."];
  return Promise.all(
    evidence.map(async (one) => {
      const { session, entry, quote } = one;
      const by = await readSpeaker(one, store);
      const where = `session ${session.slice(0, SESSION_CHARACTERS)}, entry ${entry}`;
      return `${by === undefined ? "Quoted" : SAID[by]} (${where}): "${quote}"`;
    }),
  );
}

/** Undefined if the session is gone, or nobody said the entry. */
async function readSpeaker(
  { session, entry }: Evidence,
  store: Pick<Store, "openReader">,
): Promise<Statement["by"] | undefined> {
  const reader = await store.openReader(session).catch(() => undefined);
  try {
    const [read] = (await reader?.read(entry, entry)) ?? [];
    return read === undefined ? undefined : toStatement(readPayload(read))?.by;
  } finally {
    await reader?.close();
  }
}
