import type { Clock, QueryEvent, Session } from "palimpsest";
import type { AgentLimits } from "./agents-options.ts";
import type { LiveAgent } from "./roster.ts";

export type FollowEvent = QueryEvent | { readonly kind: "phrase"; readonly phrase: string };

export interface PhraseOptions {
  readonly listener: (event: FollowEvent) => void;
  readonly clock: Required<Clock>;
  readonly limits: Required<Pick<AgentLimits, "phrases" | "phraseEveryMs">>;
}

/** Its calls stand under this name in the agent's ledger. */
const SUMMARY_SOURCE = "agent_summary";

const MAX_WORDS = 8;

/** Follows an agent: its events, and every now and then a phrase of what it is doing. Returns what ends it. */
export function followPhrases(one: LiveAgent, { listener, clock, limits }: PhraseOptions): () => void {
  const over = new AbortController();
  const heard = (event: QueryEvent): void => listener(event);
  one.listeners.add(heard);
  const end = (): void => {
    one.listeners.delete(heard);
    over.abort();
  };
  void one.done.then(end);
  if (limits.phrases === "on") void keepAsking().catch(() => undefined);
  return end;

  async function keepAsking(): Promise<void> {
    let seen = 0;
    for (;;) {
      await clock.wait(limits.phraseEveryMs, over.signal, "free");
      if (over.signal.aborted) return;
      // One that has done nothing new is still doing the same.
      if (one.session === undefined || one.rounds === seen) continue;
      seen = one.rounds;
      const phrase = await askPhrase(one.session, one.phrase, over.signal).catch(() => undefined);
      if (phrase === undefined || over.signal.aborted) continue;
      one.phrase = phrase;
      listener({ kind: "phrase", phrase });
    }
  }
}

/** On the agent's own cached prompt: only the question and a few words are new. */
async function askPhrase(
  session: Pick<Session, "ask">,
  before: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { text } = await session.ask(phraseQuestion(before), { source: SUMMARY_SOURCE, signal });
  return readPhrase(text);
}

function phraseQuestion(before: string | undefined): string {
  const new_ = before === undefined ? "" : ` You said last: ${JSON.stringify(before)}. Say what is new since.`;
  return `In 3 to 5 words, in the present tense: what are you doing right now? Name the thing, like "Renaming the config loader". Answer with these words only, and use no tool.${new_}`;
}

/** A few words are shorter. */
const MAX_PHRASE_CHARACTERS = 300;

/** One line of a few words, or nothing: what is longer is no phrase. */
export function readPhrase(answer: string): string | undefined {
  const line = answer
    .split("\n")
    .map((one) => one.trim())
    .find((one) => one !== "");
  const words =
    line
      ?.slice(0, MAX_PHRASE_CHARACTERS)
      .replace(/^["'`*]+|["'`*.]+$/g, "")
      .split(/\s+/) ?? [];
  return words.length === 0 || words.length > MAX_WORDS || words[0] === "" ? undefined : words.join(" ");
}
