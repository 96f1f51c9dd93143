import { foldLedger } from "../cost/fold.ts";
import type { Ledger } from "../cost/ledger.ts";
import { InvalidContentError, SessionLostError } from "../errors.ts";
import type { Block } from "../log/block.ts";
import { readDraft } from "../log/draft.ts";
import type { Draft } from "../log/entry.ts";
import type { Budget } from "../size/budget.ts";
import { estimateTokens, padTokens } from "../size/calibration.ts";
import { type FeatureOptions, featuresOf } from "../size/features.ts";
import type { EntryBatch, LogReader, LogWriter } from "../stores/store.ts";
import { foldEntry } from "../view/fold.ts";
import { type Configuration, type Item, sizeTokens, type View } from "../view/view.ts";
import { type CarriedState, foldCarriedState } from "./carried.ts";
import { type Loaded, loadView } from "./load.ts";
import { type Base, createSessionLog } from "./log.ts";

/** What an open session knows. It changes in one way only: entries are appended to the log, and then folded. */
export interface SessionState {
  readonly log: LogReader;
  readonly newestEntry: number;
  /** What lies up to here belongs to the session that this one is a fork of; 0 if it is none. */
  readonly sharedTo: number;
  /** Another object once it was read anew: whatever was made from the one before is to be made again. */
  readonly view: View;
  readonly ledger: Ledger;
  /** What outlives every compaction. */
  readonly carriedState: CarriedState;
  readonly configuration: Configuration;
  /** One operation at a time, in the order of the calls. */
  inOrder<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Appends all or nothing; resolves to the entry numbers when they are kept. */
  append(drafts: readonly Draft[]): Promise<readonly number[]>;
  /** Erases payloads of entries behind `sharedTo`. What is known of the log is read again. */
  erase(entries: readonly number[]): Promise<void>;
  /** Going back is reading again. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface SessionStateOptions extends FeatureOptions {
  readonly session: string;
  readonly writer: LogWriter;
  /** What was read when the log was opened. */
  readonly opened?: EntryBatch | undefined;
  /** What it continues, if it is a fork. */
  readonly base?: Base | undefined;
  readonly clock: { now(): number };
}

export async function openSessionState(options: SessionStateOptions): Promise<SessionState> {
  const { session, writer } = options;
  const log = createSessionLog(options);
  let { view, ledger, carriedState } = await load(options.opened);
  let knowledge: "certain" | "uncertain" | "closed" = "certain";
  let tail: Promise<unknown> = Promise.resolve();

  async function load(opened?: EntryBatch): Promise<Loaded> {
    const reader = await log.refresh(opened);
    return loadView(reader, log.head.sequence, options);
  }

  async function reload(): Promise<void> {
    ({ view, ledger, carriedState } = await load());
    knowledge = "certain";
  }

  return {
    log: log.reader,
    get newestEntry() {
      return log.head.sequence;
    },
    sharedTo: options.base?.sequence ?? 0,
    get view() {
      return view;
    },
    get ledger() {
      return ledger;
    },
    get carriedState() {
      return carriedState;
    },
    get configuration() {
      if (view.configuration === undefined) throw new SessionLostError(session, "its log holds no configuration");
      return view.configuration;
    },
    inOrder(act) {
      const result = tail.then(async () => {
        if (knowledge === "closed") throw new SessionLostError(session, "it was closed here");
        if (knowledge === "uncertain") await reload();
        return act();
      });
      tail = result.catch(() => undefined);
      return result;
    },
    async append(drafts) {
      const reads = drafts.map((draft) => readDraft(draft) ?? invalid(draft));
      // Whether an append that failed left something behind is only known from the log.
      knowledge = "uncertain";
      const entries = await log.append(drafts);
      knowledge = "certain";
      entries.forEach(({ sequence, atMs }, index) => {
        const read = { ...reads[index]!, sequence };
        foldEntry(view, read);
        ledger = foldLedger(ledger, read, atMs);
        carriedState = foldCarriedState(carriedState, read, atMs);
      });
      return entries.map(({ sequence }) => sequence);
    },
    async erase(entries) {
      knowledge = "uncertain";
      for (const entry of entries) await log.erase(entry);
      await reload();
    },
    reload,
    close() {
      const result = tail.then(async () => {
        if (knowledge !== "closed") await writer.close();
        knowledge = "closed";
      });
      tail = result.catch(() => undefined);
      return result;
    },
  };
}

function invalid(draft: Draft): never {
  throw new InvalidContentError(draft);
}

/** A session at one moment: what a compaction goes by while the session goes on. */
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

/** Estimates of texts and items, padded, by what is known of the model now. */
export function measuresOf({
  calibration,
  featureOptions,
}: View): Pick<Snapshot, "countTokens" | "countBlock" | "tokensOf"> {
  const countBlock = (block: Block): number =>
    padTokens(calibration, estimateTokens(calibration, featuresOf(block, featureOptions)));
  return {
    countBlock,
    // The same rounds are measured for each way to a summary, and for the view after it.
    countTokens: remembering((text) => countBlock({ kind: "text", text })),
    tokensOf: (item) => (item.kind === "seal" ? 0 : padTokens(calibration, estimateTokens(calibration, item.features))),
  };
}

function remembering(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}
