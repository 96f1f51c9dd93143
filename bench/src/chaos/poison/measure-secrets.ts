import { existsSync } from "node:fs";
import { findSecrets } from "@palimpsest/memory";
import { round } from "../../statistics.ts";
import { readTraces, tracesFolder } from "../../traces.ts";
import type { TrialOptions } from "../trial.ts";
import { secretCorpus } from "./secret-corpus.ts";

export interface SecretFigures {
  readonly cases: number;
  readonly refusedPct: number;
  /** Family and kind of those that came through, each once. */
  readonly missed: readonly string[];
  /** Paragraphs of recorded sessions; undefined where there are none to read. */
  readonly candidates: number | undefined;
  readonly falseAlarmPct: number | undefined;
}

const SIZES = { full: { seeds: 5, everyNth: 1 }, quick: { seeds: 1, everyNth: 25 } } as const;
const FIRST_SEED = 20_261_115;

/** How many secrets would be kept out of a memory, and how much that is no secret. */
export async function measureSecrets({ size, say }: TrialOptions): Promise<SecretFigures> {
  const { seeds, everyNth } = SIZES[size];
  const corpus = Array.from({ length: seeds }, (_, number) => secretCorpus(FIRST_SEED + number)).flat();
  say(`offering ${corpus.length} secrets ...`);
  const missed = await Array.fromAsync(corpus, async ({ family, name, text }) =>
    (await findSecrets(text)).length === 0 ? [`${family}: ${name}`] : [],
  );
  const refused = missed.filter((names) => names.length === 0).length;
  const known = { cases: corpus.length, refusedPct: round((100 * refused) / corpus.length) };
  const folder = tracesFolder();
  if (!existsSync(folder)) {
    say(`no recorded sessions at ${folder}: false alarms are not counted`);
    return { ...known, missed: unique(missed.flat()), candidates: undefined, falseAlarmPct: undefined };
  }
  say("looking for secrets where there are none ...");
  const candidates = await candidatesIn(everyNth);
  let alarms = 0;
  for (const text of candidates) if ((await findSecrets(text)).length > 0) alarms++;
  const falseAlarmPct = round((100 * alarms) / candidates.size);
  return { ...known, missed: unique(missed.flat()), candidates: candidates.size, falseAlarmPct };
}

/** What people and models said in recorded sessions, by paragraph: what a memory could be made of. */
async function candidatesIn(everyNth: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { entries } of readTraces(everyNth)) {
    for (const entry of entries) {
      if (entry.kind !== "message" || !["human", "model", "summary"].includes(entry.origin)) continue;
      for (const block of entry.blocks) {
        if (block.kind !== "text") continue;
        for (const paragraph of block.text.split(/\n\s*\n/)) {
          const text = paragraph.trim();
          if (text.length >= 40 && text.length <= 1_500 && text.split(/\s+/).length >= 5) found.add(text);
        }
      }
    }
  }
  return found;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
