import { createHash } from "node:crypto";
import { relative } from "node:path";
import { createEvidence, type Evidence, evidenceText, userMessagesText } from "palimpsest";
import type { Bench, Figures } from "../bench.ts";
import { readTraces, tracesFolder } from "../traces.ts";
import { boundariesOf, type LoggedMessage, type RecordedBoundary } from "./boundaries.ts";
import { countTokens } from "./count-tokens.ts";
import { type RehydrationScore, scoreRehydration } from "./rehydration.ts";
import { createSearch, factsOf, type UsedFact } from "./used-facts.ts";

/** A quick run takes every third file. */
const QUICK_SHARE = 3;
/** What the ledger may take of the files' share, beside a summary. */
const LEDGER_TOKENS = 8_000;
/** Of a digest, what the user's messages may take. */
const USER_SHARE = 0.25;

interface BoundaryScore extends RehydrationScore {
  readonly half: "tuning" | "held_out";
  readonly needed: number;
  readonly inSummary: number;
  readonly inDigest: number;
  readonly inBoth: number;
  readonly summaryTokens: number;
  readonly filesTokens: number;
  readonly ledgerTokens: number;
  readonly stateBytes: number;
}

/** What recorded agents needed after their compactions, and whether it was there: in what they had, and in what we keep. */
export const recordedCompactionsBench: Bench = {
  name: "recorded-compactions",
  about: "facts and files needed after recorded compactions: the summaries of then against ours (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const scores: BoundaryScore[] = [];
    for await (const file of readTraces(tracesFolder(), size === "quick" ? QUICK_SHARE : 1)) {
      const half = halfOf(relative(tracesFolder(), file.path));
      for (const boundary of boundariesOf(file)) scores.push({ half, ...scoreBoundary(boundary) });
    }
    if (scores.length === 0) throw new Error(`No compactions below ${tracesFolder()}; set PALIMPSEST_TRACES.`);
    const part = (half: BoundaryScore["half"]): Figures => figuresOf(scores.filter((score) => score.half === half));
    return { ...figuresOf(scores), held_out: part("held_out"), tuning: part("tuning") };
  },
};

/** Weights and orders were chosen on one half. By the name's digest, so that a new file changes nothing for the others. */
function halfOf(name: string): BoundaryScore["half"] {
  return createHash("sha256").update(name).digest()[0]! % 2 === 0 ? "tuning" : "held_out";
}

function scoreBoundary(boundary: RecordedBoundary): Omit<BoundaryScore, "half"> {
  const { before, summary, filesTokens } = boundary;
  const fold = createEvidence();
  for (const { entry } of before) fold.take(entry);
  const evidence = fold.state();
  const needed = neededFacts(boundary);
  const count = (text: string): number => needed.filter(createSearch(text)).length;
  const summaryTokens = countTokens(summary);
  const ledgerTokens = Math.min(filesTokens, LEDGER_TOKENS);
  const ledger = evidenceText(evidence, { budgetTokens: ledgerTokens, countTokens, shown: summary });
  return {
    needed: needed.length,
    inSummary: count(summary),
    inDigest: count(digestOf(before, evidence, summaryTokens + filesTokens)),
    inBoth: count(`${summary}\n${ledger}`),
    summaryTokens,
    filesTokens,
    ledgerTokens: countTokens(ledger),
    stateBytes: JSON.stringify(evidence).length,
    ...scoreRehydration(boundary, evidence),
  };
}

/** Facts of before that the model writes after it, before anything but its own words shows them. */
function neededFacts({ before, kept, after, cwd }: RecordedBoundary): UsedFact[] {
  const scope = { cwd };
  const known = new Set<UsedFact>();
  for (const { blocks } of before) for (const fact of factsOf(blocks, scope)) known.add(fact);
  for (const { blocks } of kept) for (const fact of factsOf(blocks, scope)) known.delete(fact);
  const needed: UsedFact[] = [];
  for (const { origin, blocks } of after) {
    for (const fact of factsOf(blocks, scope)) {
      if (known.delete(fact) && origin === "model") needed.push(fact);
    }
  }
  return needed;
}

function digestOf(before: readonly LoggedMessage[], evidence: Evidence, budgetTokens: number): string {
  const messages = before
    .filter(({ origin }) => origin === "human")
    .map(({ entry, blocks }) => ({
      entry: entry.sequence,
      text: blocks.map((block) => (block.kind === "text" ? block.text : "")).join("\n"),
    }));
  const said = userMessagesText(messages, { budgetTokens: Math.floor(budgetTokens * USER_SHARE), countTokens });
  const ledger = evidenceText(evidence, {
    budgetTokens: budgetTokens - countTokens(said) - 1,
    countTokens,
    shown: said,
  });
  return `${said}\n${ledger}`;
}

function figuresOf(scores: readonly BoundaryScore[]): Figures {
  const sum = (of: (score: BoundaryScore) => number): number => scores.reduce((total, score) => total + of(score), 0);
  const needed = sum((score) => score.needed);
  const files = sum((score) => score.neededFiles);
  const percent = (part: number, whole: number): number => Math.round((1_000 * part) / whole) / 10;
  const mean = (of: (score: BoundaryScore) => number): number => Math.round(sum(of) / scores.length);
  return {
    boundaries: scores.length,
    needed_facts: needed,
    recorded_summary_pct: percent(
      sum((score) => score.inSummary),
      needed,
    ),
    digest_pct: percent(
      sum((score) => score.inDigest),
      needed,
    ),
    summary_plus_ledger_pct: percent(
      sum((score) => score.inBoth),
      needed,
    ),
    needed_files: files,
    rehydration_recent5_pct: percent(
      sum((score) => score.recent5),
      files,
    ),
    rehydration_ours_pct: percent(
      sum((score) => score.ours),
      files,
    ),
    rehydration_ours_at_limit_pct: percent(
      sum((score) => score.oursAtLimit),
      files,
    ),
    mean_summary_tokens: mean((score) => score.summaryTokens),
    mean_files_tokens: mean((score) => score.filesTokens),
    mean_ledger_tokens: mean((score) => score.ledgerTokens),
    mean_state_bytes: mean((score) => score.stateBytes),
  };
}
