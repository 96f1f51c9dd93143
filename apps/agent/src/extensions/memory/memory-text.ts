import { type Evidence, type Statement, toStatement, type WriteOutcome } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import { readPayload } from "palimpsest/inspect";

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

/** Says what a dismissal means. */
export function dismissedText(slug: string): string {
  return `${slug} is not attached to your messages any more. It stays in the memory.`;
}

/** Describes the outcome of a change to the memory. */
export function outcomeText(outcome: WriteOutcome): string {
  switch (outcome.kind) {
    case "written":
      return outcome.version === "none"
        ? `Forgot ${outcome.slug}. Its text stays in the history.`
        : `Saved ${outcome.slug}.`;
    case "unchanged":
      return `Nothing changed: ${outcome.slug} already says that.`;
    case "proposed":
      return `${outcome.slug} waits in the inbox for the user's approval: ${outcome.why}`;
    case "stale":
      return `Nothing was written: ${outcome.slug} exists already, or was changed since.`;
    case "refused":
      return `Nothing was written: ${outcome.why}`;
  }
}
