import { NO_LONGER_NEEDED, watchCall } from "../clock.ts";
import { InvalidOptionError } from "../errors.ts";
import type { Forks } from "../forks/forks.ts";
import { readPayload, toDraft } from "../log/draft.ts";

import { ProviderError } from "../providers/provider.ts";
import { recallOf } from "../recall/recall.ts";
import type { SessionContext } from "../state/context.ts";
import { readEntry } from "../state/load.ts";
import type { NotesUpdateOutcome, SessionNotes } from "../state/options.ts";
import type { Requests } from "../state/ports.ts";
import { measuresOf, type Snapshot, takeSnapshot } from "../state/state.ts";
import { sizeTokens } from "../view/view.ts";
import { emptyNotes, isBare, type Notes, notesMarkdown, parseNotes } from "./notes.ts";
import { NOTES_TEMPLATE, type NotesTemplate, readNotesTemplate } from "./template.ts";
import { readUpdate, updatePrompt } from "./update.ts";
import { isUpdateDue, type NotesCompaction, notesPolicy, notesSituation, planNotesCompaction } from "./when.ts";

interface NotesParts {
  readonly forks: Pick<Forks<unknown>, "converse">;
  readonly requests: Pick<Requests, "size">;
}

export interface NotesKeeper {
  /** As markdown; the bare template if nothing was noted yet. */
  read(): Promise<string>;
  /** The newest version as it was written. */
  latest: SessionNotes["latest"];
  /** Brings them up to date, after an update that is under way. */
  update(signal?: AbortSignal): Promise<NotesUpdateOutcome>;
  /** A response was recorded: updates in the background, now or before the cache ends, if it is worth it. */
  afterResponse(): void;
  /** A request is being made: what was to happen in the pause before it will not. */
  onRequest(): void;
  /** How a compaction could go by the notes. Waits for an update that is under way, but not for long. */
  planCompaction(snapshot: Snapshot): Promise<NotesCompaction>;
}

const NOTES_SOURCE = "session_notes";
/** So long a compaction waits for an update; one that is older than the other is taken for dead. */
const WAIT_MS = 15_000;
const DEAD_MS = 60_000;
/** So much the view has grown before it is looked at again after a response. */
const LOOK_AGAIN_SHARE = 0.05;

/** The session's notes: kept all along, so that a summary exists when one is needed. */
export function createNotes(context: SessionContext, { forks, requests: { size } }: NotesParts): NotesKeeper {
  const { state, options, factsOf, settings, clock, emit, signal } = context;
  const template = templateOf(options.notes?.template);
  let running: { readonly done: Promise<NotesUpdateOutcome>; readonly sinceMs: number } | undefined;
  let pause = new AbortController();
  /** The size of the view when it was last asked whether an update is due. */
  let consideredTokens = 0;

  async function current(): Promise<Notes> {
    const { notes } = state.carriedState;
    const read = notes && (await readEntry(state.log, notes.entry));
    return read?.kind === "notes" ? parseNotes(read.payload.markdown, template) : emptyNotes(template);
  }

  async function run(ends: AbortSignal): Promise<NotesUpdateOutcome> {
    const held = settings();
    const notes = await current();
    const snapshot = await state.inOrder(async () => takeSnapshot(state, size()));
    const covered = snapshot.items.findLast(({ kind }) => kind === "message");
    if (covered === undefined) return { kind: "failed", why: "nothing was said yet" };
    const { prompt, write } = options.notes ?? {};
    const limits = { sectionTokens: held["notes.sectionTokens"], totalTokens: held["notes.totalTokens"] };
    const conversation = await forks.converse({ source: NOTES_SOURCE, signal: ends });
    try {
      const { countTokens } = snapshot;
      await conversation.ask(updatePrompt({ notes, countTokens, limits, ...(prompt === undefined ? {} : { prompt }) }));
      const watched = await watchCall((own, heard) => conversation.answer({ signal: own, onPart: heard }), {
        clock,
        signal: ends,
        stallMs: DEAD_MS,
      });
      if (watched.kind !== "done") return { kind: "failed", why: whyNot(watched) };
      const update = readUpdate(watched.result, notes);
      if (update.kind === "rejected") return { kind: "failed", why: update.reason };
      const markdown = notesMarkdown(update.kind === "updated" ? update.notes : notes);
      await state.inOrder(async () => {
        await state.append([toDraft("notes", { markdown, coveredTo: covered.to })]);
      });
      await write?.(markdown).catch(() => undefined);
      return { kind: update.kind, markdown };
    } finally {
      await conversation.close();
    }
  }

  /** One after another: each begins with what the one before has written. */
  function update(ends: AbortSignal = signal): Promise<NotesUpdateOutcome> {
    const before = running?.done ?? Promise.resolve();
    const done = before
      .then(() => run(ends))
      .catch((error: unknown): NotesUpdateOutcome => {
        return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
      });
    const mine = { done, sinceMs: clock.now() };
    running = mine;
    return done.then((outcome) => {
      if (running === mine) running = undefined;
      const { countTokens } = measuresOf(state.view);
      const tokens = outcome.kind === "failed" ? 0 : countTokens(outcome.markdown);
      emit({ kind: "notes-updated", outcome: outcome.kind, tokens });
      return outcome;
    });
  }

  /** After a response: updates now or before the cache ends, if it is worth it. */
  async function consider(over: AbortSignal): Promise<void> {
    // Looking at it costs what the view costs: only when the view has grown by a part of it, or is another.
    const size = sizeTokens(state.view);
    const isOther = size < consideredTokens || size >= consideredTokens * (1 + LOOK_AGAIN_SHARE);
    if (isOther && (await isWorthIt(over))) return;
    const { atMs, lifetimeMs } = state.ledger.sources["main"]?.previous ?? {};
    if (atMs === undefined || lifetimeMs === undefined || settings()["notes.enabled"] === "off") return;
    // A little later than asked for: the planner asks whether so much is left, or less.
    const dueAtMs = atMs + lifetimeMs * (1 - settings()["notes.beforeColdPercent"] / 100) + 1;
    await clock.wait(Math.max(0, dueAtMs - clock.now()), over, "free");
    if (!over.aborted) await isWorthIt(over);
  }

  async function isWorthIt(over: AbortSignal): Promise<boolean> {
    if (settings()["notes.enabled"] === "off" || running !== undefined) return false;
    const notes = await current();
    if (over.aborted) return false;
    const snapshot = takeSnapshot(state, size());
    consideredTokens = snapshot.sizeTokens;
    const notesTokens = isBare(notes) ? 0 : snapshot.countTokens(notesMarkdown(notes));
    const { prices } = factsOf(snapshot.configuration.model);
    const { ledger } = state;
    const situation = notesSituation({
      snapshot,
      ledger,
      prices,
      compaction: size().compaction,
      settings: settings(),
      notesTokens,
      nowMs: clock.now(),
    });
    if (situation === undefined || isUpdateDue(situation, notesPolicy(settings())).kind === "not-due") return false;
    await update();
    return true;
  }

  return {
    read: async () => notesMarkdown(await current()),
    async latest() {
      const { notes } = state.carriedState;
      const [stored] = notes === undefined ? [] : await state.log.read(notes.entry, notes.entry);
      const read = stored && readPayload(stored);
      if (stored === undefined || read?.kind !== "notes") return undefined;
      const { markdown, coveredTo } = read.payload;
      return { markdown, coveredTo, entry: stored.sequence, atMs: stored.atMs };
    },
    update,
    afterResponse() {
      pause.abort(NO_LONGER_NEEDED);
      pause = new AbortController();
      const over = AbortSignal.any([pause.signal, signal]);
      // Nobody waits for it, and what fails is told by the update itself.
      consider(over).catch(() => undefined);
    },
    onRequest: () => pause.abort(NO_LONGER_NEEDED),
    async planCompaction(snapshot) {
      const held = settings();
      const age = running === undefined ? undefined : clock.now() - running.sinceMs;
      if (age !== undefined && age < DEAD_MS) {
        const over = new AbortController();
        await Promise.race([running!.done, clock.wait(WAIT_MS, over.signal)]);
        over.abort(NO_LONGER_NEEDED);
      }
      const { notes: noted } = state.carriedState;
      if (noted === undefined) return { kind: "declined", cause: "no-notes", reason: "there are no notes" };
      return planNotesCompaction({
        items: snapshot.items,
        notes: await current(),
        notesEntry: noted.entry,
        recall: recallOf(snapshot.configuration.tools),
        coveredTo: noted.coveredTo,
        ...(snapshot.carriedState.chain.boundary === 0 ? {} : { newestBoundary: snapshot.carriedState.chain.boundary }),
        minimumTokens: held["notes.keepTokens"],
        minimumTextMessages: held["notes.keepTextMessages"],
        maximumTokens: held["notes.keepMaxTokens"],
        sectionTokens: held["notes.sectionTokens"],
        thresholdTokens: snapshot.budget.autoCompactTokens,
        tokensOf: snapshot.tokensOf,
        countTokens: snapshot.countTokens,
      });
    },
  };
}

function templateOf(markdown: string | undefined): NotesTemplate {
  if (markdown === undefined) return NOTES_TEMPLATE;
  const read = readNotesTemplate(markdown);
  if (read.kind === "unusable") throw new InvalidOptionError("notes.template", markdown.slice(0, 80), read.problem);
  return read.template;
}

function whyNot(watched: { readonly kind: "failed"; readonly error: unknown } | { readonly kind: string }): string {
  if (!("error" in watched)) return `the call was ${watched.kind}`;
  const { error } = watched;
  return ProviderError.isInstance(error) || error instanceof Error ? error.message : String(error);
}
