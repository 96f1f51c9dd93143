import { NO_LONGER_NEEDED, watchCall } from "../clock.ts";
import { InvalidOptionError } from "../errors.ts";
import type { Forks } from "../forks/forks.ts";
import { readPayload, toDraft } from "../log/draft.ts";

import { ProviderError } from "../providers/provider.ts";
import { recallOf } from "../recall/recall.ts";
import type { SessionCore } from "../state/core.ts";
import { readEntry } from "../state/load.ts";
import type { NotesUpdateOutcome, SessionNotes } from "../state/options.ts";
import type { Sizes } from "../state/ports.ts";
import { measuresOf, type Snapshot, takeSnapshot } from "../state/state.ts";
import { sizeTokens } from "../view/view.ts";
import { emptyNotes, isBare, type Notes, notesMarkdown, parseNotes } from "./notes.ts";
import { NOTES_TEMPLATE, type NotesTemplate, readNotesTemplate } from "./template.ts";
import { readUpdate, updatePrompt } from "./update.ts";
import { isUpdateDue, type NotesCompaction, notesPolicy, notesSituation, planNotesCompaction } from "./when.ts";

const NOTES_SOURCE = "session_notes";
/** A compaction waits this long for an update. An update that takes longer than `DEAD_MS` counts as dead. */
const WAIT_MS = 15_000;
const DEAD_MS = 60_000;
/** The share by which the view has to grow before the keeper looks at it again. */
const LOOK_AGAIN_SHARE = 0.05;

/** The parts of a session that its notes need. */
interface NotesParts extends SessionCore {
  readonly forks: Pick<Forks, "converse">;
  readonly measures: Pick<Sizes, "size">;
}

/** Keeps the notes of a session up to date during the session, so that a summary exists when a compaction needs one. */
export class NotesKeeper implements SessionNotes {
  readonly #parts: NotesParts;
  readonly #template: NotesTemplate;
  #running: { readonly done: Promise<NotesUpdateOutcome>; readonly sinceMs: number } | undefined;
  /** Aborted by the next request: work that waited for the end of a pause is over then. */
  #pause = new AbortController();
  /** The size of the view when the keeper last looked whether an update is due. */
  #consideredTokens = 0;

  constructor(parts: NotesParts) {
    this.#parts = parts;
    this.#template = templateOf(parts.options.notes?.template);
  }

  async read(): Promise<string> {
    return notesMarkdown(await this.#current());
  }

  async latest(): ReturnType<SessionNotes["latest"]> {
    const { state } = this.#parts;
    const { notes } = state.carriedState;
    const [stored] = notes === undefined ? [] : await state.log.read(notes.entry, notes.entry);
    const read = stored && readPayload(stored);
    if (stored === undefined || read?.kind !== "notes") return undefined;
    const { markdown, coveredTo } = read.payload;
    return { markdown, coveredTo, entry: stored.sequence, atMs: stored.atMs };
  }

  /** Updates the notes, after an update that is running: each update starts from the result of the previous one. */
  async update({ signal = this.#parts.ports.signal }: UpdateOptions = {}): Promise<NotesUpdateOutcome> {
    const { state, ports } = this.#parts;
    const before = this.#running?.done ?? Promise.resolve();
    const done = before
      .then(() => this.#run(signal))
      .catch((error: unknown): NotesUpdateOutcome => {
        return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
      });
    const mine = { done, sinceMs: ports.clock.now() };
    this.#running = mine;
    const outcome = await done;
    if (this.#running === mine) this.#running = undefined;
    const { countTokens } = measuresOf(state.view);
    const tokens = outcome.kind === "failed" ? 0 : countTokens(outcome.markdown);
    ports.emit({ kind: "notes-updated", outcome: outcome.kind, tokens });
    return outcome;
  }

  async #run(signal: AbortSignal): Promise<NotesUpdateOutcome> {
    const { state, settings, options, ports, forks, measures } = this.#parts;
    const now = settings.current;
    const notes = await this.#current();
    const snapshot = await state.inOrder(async () => takeSnapshot(state, measures.size()));
    const covered = snapshot.items.findLast(({ kind }) => kind === "message");
    if (covered === undefined) return { kind: "failed", why: "nothing was said yet" };
    const { prompt, write } = options.notes ?? {};
    const limits = { sectionTokens: now["notes.sectionTokens"], totalTokens: now["notes.totalTokens"] };
    const conversation = await forks.converse({ source: NOTES_SOURCE, signal });
    try {
      await conversation.ask(updatePrompt({ notes, countTokens: snapshot.countTokens, limits, prompt }));
      const watched = await watchCall((own, heard) => conversation.answer({ signal: own, onPart: heard }), {
        clock: ports.clock,
        signal,
        stallMs: DEAD_MS,
      });
      if (watched.kind !== "done") return { kind: "failed", why: whyNot(watched) };
      const update = readUpdate(watched.result, notes);
      if (update.kind === "rejected") return { kind: "failed", why: update.reason };
      const markdown = notesMarkdown(update.kind === "updated" ? update.notes : notes);
      await state.inOrder(() => state.append([toDraft("notes", { markdown, coveredTo: covered.to })]));
      await write?.(markdown).catch(() => undefined);
      return { kind: update.kind, markdown };
    } finally {
      await conversation.close();
    }
  }

  async #current(): Promise<Notes> {
    const { state } = this.#parts;
    const { notes } = state.carriedState;
    const read = notes && (await readEntry(state.log, notes.entry));
    return read?.kind === "notes" ? parseNotes(read.payload.markdown, this.#template) : emptyNotes(this.#template);
  }

  /** A response was recorded: updates the notes in the background, now or before the cache expires, if the update pays. */
  afterResponse(): void {
    this.#pause.abort(NO_LONGER_NEEDED);
    this.#pause = new AbortController();
    const over = AbortSignal.any([this.#pause.signal, this.#parts.ports.signal]);
    // Nobody waits for this work. The update itself emits its failures.
    this.#consider(over).catch(() => undefined);
  }

  /** A request is being prepared: the pause is over. */
  onRequest(): void {
    this.#pause.abort(NO_LONGER_NEEDED);
  }

  async #consider(over: AbortSignal): Promise<void> {
    const { state, settings, ports } = this.#parts;
    // A look costs as much as the view is long: the keeper looks again only if the view has grown by a share, or has shrunk.
    const size = sizeTokens(state.view);
    const hasChanged = size < this.#consideredTokens || size >= this.#consideredTokens * (1 + LOOK_AGAIN_SHARE);
    if (hasChanged && (await this.#updateIfDue(over))) return;
    const { atMs, lifetimeMs } = state.ledger.sources["main"]?.previous ?? {};
    if (atMs === undefined || lifetimeMs === undefined || settings.current["notes.enabled"] === "off") return;
    // One millisecond later than the setting says: the planner acts if this share is left, or less.
    const dueAtMs = atMs + lifetimeMs * (1 - settings.current["notes.beforeColdPercent"] / 100) + 1;
    await ports.clock.wait(Math.max(0, dueAtMs - ports.clock.now()), over, "free");
    if (!over.aborted) await this.#updateIfDue(over);
  }

  async #updateIfDue(over: AbortSignal): Promise<boolean> {
    const { state, settings, ports, measures } = this.#parts;
    if (settings.current["notes.enabled"] === "off" || this.#running !== undefined) return false;
    const notes = await this.#current();
    if (over.aborted) return false;
    const size = measures.size();
    const snapshot = takeSnapshot(state, size);
    this.#consideredTokens = snapshot.sizeTokens;
    const situation = notesSituation({
      snapshot,
      ledger: state.ledger,
      prices: ports.facts.of(snapshot.configuration.model).prices,
      compaction: size.compaction,
      settings: settings.current,
      notesTokens: isBare(notes) ? 0 : snapshot.countTokens(notesMarkdown(notes)),
      nowMs: ports.clock.now(),
    });
    const policy = notesPolicy(settings.current);
    if (situation === undefined || isUpdateDue(situation, policy).kind === "not-due") return false;
    await this.update();
    return true;
  }

  /** Plans a compaction that uses the notes as its summary. Waits a short time for an update that is running. */
  async planCompaction(snapshot: Snapshot): Promise<NotesCompaction> {
    const { state, settings, ports } = this.#parts;
    const now = settings.current;
    const running = this.#running;
    if (running !== undefined && ports.clock.now() - running.sinceMs < DEAD_MS) {
      const over = new AbortController();
      await Promise.race([running.done, ports.clock.wait(WAIT_MS, over.signal)]);
      over.abort(NO_LONGER_NEEDED);
    }
    const { notes: noted } = state.carriedState;
    if (noted === undefined) return { kind: "declined", cause: "no-notes", reason: "there are no notes" };
    const { boundary } = snapshot.carriedState.chain;
    return planNotesCompaction({
      items: snapshot.items,
      notes: await this.#current(),
      notesEntry: noted.entry,
      recall: recallOf(snapshot.configuration.tools),
      coveredTo: noted.coveredTo,
      newestBoundary: boundary === 0 ? undefined : boundary,
      minimumTokens: now["notes.keepTokens"],
      minimumTextMessages: now["notes.keepTextMessages"],
      maximumTokens: now["notes.keepMaxTokens"],
      sectionTokens: now["notes.sectionTokens"],
      thresholdTokens: snapshot.budget.autoCompactTokens,
      tokensOf: snapshot.tokensOf,
      countTokens: snapshot.countTokens,
    });
  }
}

interface UpdateOptions {
  readonly signal?: AbortSignal | undefined;
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
