import { createHash } from "node:crypto";
import { relative } from "node:path";
import { createSearch, factsOf, type UsedFact } from "@palimpsest/observe/replay";
import { createEvidence, type Evidence, evidenceText, userMessagesText } from "palimpsest/inspect";
import type { Experiment, Figures } from "../experiment.ts";
import { readTraces, tracesFolder } from "../traces.ts";
import { boundariesOf, type LoggedMessage, type RecordedBoundary } from "./boundaries.ts";
import { countTokens } from "./count-tokens.ts";
import { rehydrationOf, textOf, tokensOf } from "./rehydration.ts";

const EVERY_NTH = { full: 1, quick: 3 };
/** What the ledger may take of the files' share, beside a summary. */
const LEDGER_TOKENS = 8_000;
/** Of a digest, what the user's messages may take. */
const USER_SHARE = 0.25;

/** The rule that recorded agents put files back by: so many files, of 5,000 tokens at most. */
const RECENT_FILES = 5;
const RECENT_TOKENS = RECENT_FILES * 5_000;

interface BoundaryScore {
  readonly half: "tuning" | "held_out";
  readonly neededFacts: number;
  /** How many of them stand in each. */
  readonly facts: Readonly<Record<"summary" | "digest" | "summaryAndLedger" | "recordedView" | "ourView", number>>;
  readonly neededFiles: number;
  /** How many of them are put back by each, and with the tokens that the rule takes or may take. */
  readonly files: Readonly<Record<"recent5" | "ours" | "recentAtLimit" | "oursAtLimit", number>>;
  readonly tokens: Readonly<Record<"summary" | "files" | "ledger", number>>;
  readonly stateBytes: number;
}

/** Measures whether content that recorded agents needed after a compaction was in their context, and in ours. */
export const recordedCompactionsExperiment: Experiment = {
  name: "recorded-compactions",
  about: "facts and files needed after recorded compactions: the summaries of then against ours (PALIMPSEST_TRACES)",
  needs: "traces",
  async run({ size }) {
    const scores: BoundaryScore[] = [];
    for await (const file of readTraces(EVERY_NTH[size])) {
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
  const count = (...texts: string[]): number => needed.filter(createSearch(texts.join("\n"))).length;
  const summaryTokens = countTokens(summary);
  const budgetTokens = Math.min(filesTokens, LEDGER_TOKENS);
  const ledger = evidenceText(evidence, { budgetTokens, countTokens, shown: summary });
  const ledgerTokens = countTokens(ledger);

  const { neededFiles, recent, ours, met } = rehydrationOf(boundary, evidence);
  const recent5 = recent(RECENT_FILES, RECENT_TOKENS);
  return {
    neededFacts: needed.length,
    facts: {
      summary: count(summary),
      digest: count(digestOf(before, evidence, summaryTokens + filesTokens)),
      summaryAndLedger: count(summary, ledger),
      recordedView: count(summary, textOf(recent(RECENT_FILES, filesTokens))),
      ourView: count(summary, ledger, textOf(ours(filesTokens - ledgerTokens))),
    },
    neededFiles,
    files: {
      recent5: met(recent5),
      ours: met(ours(tokensOf(recent5))),
      recentAtLimit: met(recent(Number.POSITIVE_INFINITY, RECENT_TOKENS)),
      oursAtLimit: met(ours(RECENT_TOKENS)),
    },
    tokens: { summary: summaryTokens, files: filesTokens, ledger: ledgerTokens },
    stateBytes: JSON.stringify(evidence).length,
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
  const percent = (part: number, whole: number): number => Math.round((1_000 * part) / whole) / 10;
  const neededFacts = sum((score) => score.neededFacts);
  const neededFiles = sum((score) => score.neededFiles);
  const facts = (name: keyof BoundaryScore["facts"]): number =>
    percent(
      sum((score) => score.facts[name]),
      neededFacts,
    );
  const files = (name: keyof BoundaryScore["files"]): number =>
    percent(
      sum((score) => score.files[name]),
      neededFiles,
    );
  const mean = (of: (score: BoundaryScore) => number): number => Math.round(sum(of) / scores.length);
  return {
    boundaries: scores.length,
    needed_facts: neededFacts,
    recorded_summary_pct: facts("summary"),
    digest_pct: facts("digest"),
    summary_plus_ledger_pct: facts("summaryAndLedger"),
    recorded_view_pct: facts("recordedView"),
    our_view_pct: facts("ourView"),
    needed_files: neededFiles,
    rehydration_recent5_pct: files("recent5"),
    rehydration_ours_pct: files("ours"),
    rehydration_recent_at_limit_pct: files("recentAtLimit"),
    rehydration_ours_at_limit_pct: files("oursAtLimit"),
    mean_summary_tokens: mean(({ tokens }) => tokens.summary),
    mean_files_tokens: mean(({ tokens }) => tokens.files),
    mean_ledger_tokens: mean(({ tokens }) => tokens.ledger),
    mean_state_bytes: mean(({ stateBytes }) => stateBytes),
  };
}
