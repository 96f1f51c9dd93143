// The state of an open session: runs one operation at a time, appends entries, and folds them.

import { foldLedger } from "../cost/fold.ts";
import type { Ledger } from "../cost/ledger.ts";
import { InvalidContentError, SessionLostError } from "../errors.ts";
import type { Block } from "../log/block.ts";
import { type Draft, readDraft } from "../log/entry.ts";
import type { Budget } from "../size/budget.ts";
import { estimateTokens, type FeatureOptions, featuresOf, padTokens } from "../size/calibration.ts";
import type { EntryBatch, LogReader, LogWriter } from "../stores/store.ts";
import { foldEntry } from "../view/fold.ts";
import { type Configuration, type Item, sizeTokens, type View } from "../view/view.ts";
import { type CarriedState, foldCarriedState } from "./carried.ts";
import { type Loaded, loadView } from "./load.ts";
import { type Base, createSessionLog, type SessionLog } from "./log.ts";

interface SessionStateOptions extends FeatureOptions {
  readonly session: string;
  readonly writer: LogWriter;
  /** The entries that opening the log has read. */
  readonly opened?: EntryBatch | undefined;
  /** The log that a fork continues. */
  readonly base?: Base | undefined;
  readonly clock: { now(): number };
}

/**
 * The log of an open session and the state that follows from it. It changes in one way only: entries are appended to
 * the log and then folded. Never keep `view`, `ledger` or `carriedState` across an `await`, because a reload replaces
 * them.
 */
export class SessionState {
  readonly log: LogReader;
  /** Entries up to this number belong to the parent of a fork; 0 if the session is not a fork. */
  readonly sharedTo: number;
  readonly #options: SessionStateOptions;
  readonly #log: SessionLog;
  #loaded: Loaded;
  /** `uncertain`: an append failed, so the log may contain entries that the state lacks. */
  #knowledge: "certain" | "uncertain" | "closed" = "certain";
  /** The promise of the last operation. */
  #tail: Promise<unknown> = Promise.resolve();

  static async open(options: SessionStateOptions): Promise<SessionState> {
    const log = createSessionLog(options);
    return new SessionState(options, log, await load(log, options, options.opened));
  }

  private constructor(options: SessionStateOptions, log: SessionLog, loaded: Loaded) {
    this.log = log.reader;
    this.sharedTo = options.base?.sequence ?? 0;
    this.#options = options;
    this.#log = log;
    this.#loaded = loaded;
  }

  get newestEntry(): number {
    return this.#log.head.sequence;
  }

  get view(): View {
    return this.#loaded.view;
  }

  get ledger(): Ledger {
    return this.#loaded.ledger;
  }

  /** The state that survives every compaction. */
  get carriedState(): CarriedState {
    return this.#loaded.carriedState;
  }

  get configuration(): Configuration {
    const { configuration } = this.view;
    if (configuration === undefined) throw new SessionLostError(this.#options.session, "its log has no configuration");
    return configuration;
  }

  /** Runs one operation at a time, in the order of the calls. */
  inOrder<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#tail.then(async () => {
      if (this.#knowledge === "closed") throw new SessionLostError(this.#options.session, "this process has closed it");
      if (this.#knowledge === "uncertain") await this.reload();
      return act();
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Appends all drafts or none. Resolves to the entry numbers when the entries are stored. */
  async append(drafts: readonly Draft[]): Promise<readonly number[]> {
    const reads = drafts.map((draft) => readDraft(draft) ?? invalid(draft));
    this.#knowledge = "uncertain";
    const entries = await this.#log.append(drafts);
    this.#knowledge = "certain";
    let { ledger, carriedState } = this.#loaded;
    const { view } = this.#loaded;
    entries.forEach(({ sequence, atMs }, index) => {
      const read = { ...reads[index]!, sequence };
      foldEntry(view, read);
      ledger = foldLedger(ledger, read, atMs);
      carriedState = foldCarriedState(carriedState, read, atMs);
    });
    this.#loaded = { view, ledger, carriedState };
    return entries.map(({ sequence }) => sequence);
  }

  /** Erases the payloads of entries above `sharedTo`, and reads the log again. */
  async erase(entries: readonly number[]): Promise<void> {
    this.#knowledge = "uncertain";
    for (const entry of entries) await this.#log.erase(entry);
    await this.reload();
  }

  /** Reads the log again: after a rewind, a restore, or an append that failed. */
  async reload(): Promise<void> {
    this.#loaded = await load(this.#log, this.#options);
    this.#knowledge = "certain";
  }

  close(): Promise<void> {
    const result = this.#tail.then(async () => {
      if (this.#knowledge !== "closed") await this.#options.writer.close();
      this.#knowledge = "closed";
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

async function load(log: SessionLog, options: FeatureOptions, opened?: EntryBatch): Promise<Loaded> {
  const reader = await log.refresh(opened);
  return loadView(reader, log.head.sequence, options);
}

function invalid(draft: Draft): never {
  throw new InvalidContentError(draft);
}

/** A copy of a session's state, from which a compaction works while the session continues. */
export interface Snapshot {
  readonly view: View;
  readonly changedAt: number;
  readonly items: readonly Item[];
  readonly newestEntry: number;
  readonly carriedState: CarriedState;
  readonly configuration: Configuration;
  readonly sizeTokens: number;
  readonly budget: Budget;
  readonly countTokens: (text: string) => number;
  readonly countBlock: (block: Block) => number;
  readonly tokensOf: (item: Item) => number;
}

export function takeSnapshot(state: SessionState, budget: Budget): Snapshot {
  const { view, carriedState, configuration, newestEntry } = state;
  return {
    view,
    carriedState,
    configuration,
    newestEntry,
    budget,
    changedAt: view.changedAt,
    items: [...view.items],
    sizeTokens: sizeTokens(view),
    ...measuresOf(view),
  };
}

/**
 * Returns functions that estimate the tokens of texts and items, with padding, from the current calibration of the
 * model.
 */
export function measuresOf({
  calibration,
  featureOptions,
}: View): Pick<Snapshot, "countTokens" | "countBlock" | "tokensOf"> {
  const countBlock = (block: Block): number =>
    padTokens(calibration, estimateTokens(calibration, featuresOf(block, featureOptions)));
  return {
    countBlock,
    // Cache the counts: each summary method, and the view after it, measures the same texts.
    countTokens: cachedCount((text) => countBlock({ kind: "text", text })),
    tokensOf: (item) => (item.kind === "seal" ? 0 : padTokens(calibration, estimateTokens(calibration, item.features))),
  };
}

function cachedCount(count: (text: string) => number): (text: string) => number {
  const counts = new Map<string, number>();
  return (text) => {
    const tokens = counts.get(text) ?? count(text);
    counts.set(text, tokens);
    return tokens;
  };
}
