// Keeps the notes of a session up to date, and uses them for compactions.

import { NO_LONGER_NEEDED, watchCall } from "../clock.ts";
import { InvalidOptionError } from "../errors.ts";
import type { Forks } from "../forks/forks.ts";
import { readPayload, toDraft } from "../log/entry.ts";
import { updateReason } from "../policy/guard.ts";
import { ProviderError } from "../providers/provider.ts";
import { recallOf } from "../recall/recall.ts";
import type { SessionCore } from "../state/core.ts";
import { readEntry } from "../state/load.ts";
import type { NotesUpdateOutcome, SessionNotes } from "../state/options.ts";
import type { Sizes } from "../state/ports.ts";
import { measuresOf, type Snapshot, takeSnapshot } from "../state/state.ts";
import { sizeTokens } from "../view/view.ts";
import { emptyNotes, isBare, NOTES_LIMITS, type Notes, notesMarkdown, parseNotes } from "./notes.ts";
import { type NotesCompaction, planNotesCompaction } from "./plan.ts";
import { NOTES_TEMPLATE, type NotesTemplate, readNotesTemplate } from "./template.ts";
import { readUpdate, updatePrompt } from "./update.ts";

const NOTES_SOURCE = "session_notes";
/** The time that a compaction waits for an update. An update that takes longer than `DEAD_MS` counts as dead. */
const WAIT_MS = 15_000;
const DEAD_MS = 60_000;
/** The keeper checks once more whether an update is due when this share of the cache's lifetime is left. */
const ENDING_SHARE = 0.2;
/** The view must grow by this share before the keeper checks again whether an update is due. */
const CHECK_AGAIN_SHARE = 0.05;

/** The parts of a session that its notes need. */
interface NotesParts extends SessionCore {
  readonly forks: Pick<Forks, "converse">;
  readonly measures: Pick<Sizes, "budget" | "windowState">;
}

/** Updates the notes of a session during the session, so that a summary exists when a compaction needs one. */
export class NotesKeeper implements SessionNotes {
  readonly #parts: NotesParts;
  readonly #template: NotesTemplate;
  #running: { readonly done: Promise<NotesUpdateOutcome>; readonly sinceMs: number } | undefined;
  /** Ends the work that waits for the end of a pause. The next request aborts it. */
  #pause = new AbortController();
  /** The size of the view at the last check for a due update. */
  #checkedTokens = 0;

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

  /**
   * Updates the notes. Waits for a running update first, because each update starts from the result of the previous
   * one.
   */
  async update({ signal = this.#parts.ports.signal }: UpdateOptions = {}): Promise<NotesUpdateOutcome> {
    const { state, ports } = this.#parts;
    const before = this.#running?.done ?? Promise.resolve();
    const done = before
      .then(() => this.#run(signal))
      .catch((error: unknown): NotesUpdateOutcome => {
        return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
      });
    const own = { done, sinceMs: ports.clock.now() };
    this.#running = own;
    const outcome = await done;
    if (this.#running === own) this.#running = undefined;
    const { countTokens } = measuresOf(state.view);
    const tokens = outcome.kind === "failed" ? 0 : countTokens(outcome.markdown);
    ports.emit({ kind: "notes-updated", outcome: outcome.kind, tokens });
    return outcome;
  }

  async #run(signal: AbortSignal): Promise<NotesUpdateOutcome> {
    const { state, policy, options, ports, forks, measures } = this.#parts;
    const notes = await this.#current();
    const snapshot = await state.inOrder(async () => takeSnapshot(state, measures.budget()));
    const covered = snapshot.items.findLast(({ kind }) => kind === "message");
    if (covered === undefined) return { kind: "failed", why: "the conversation is still empty" };
    const { prompt, write } = options.notes ?? {};
    const { sectionTokens, totalTokens } = policy.current.notes ?? NOTES_LIMITS;
    const limits = { sectionTokens, totalTokens };
    const conversation = await forks.converse({ source: NOTES_SOURCE, signal });
    try {
      await conversation.ask(updatePrompt({ notes, countTokens: snapshot.countTokens, limits, prompt }));
      const watched = await watchCall((callSignal, onPart) => conversation.answer({ signal: callSignal, onPart }), {
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

  /** Updates the notes in the background after a response, now or before the cache expires, if the update pays off. */
  afterResponse(): void {
    this.#pause.abort(NO_LONGER_NEEDED);
    this.#pause = new AbortController();
    const over = AbortSignal.any([this.#pause.signal, this.#parts.ports.signal]);
    // Ignore errors here: `update` emits its failures.
    this.#updateInPause(over).catch(() => undefined);
  }

  /** Ends the pause, because a request is being prepared. */
  onRequest(): void {
    this.#pause.abort(NO_LONGER_NEEDED);
  }

  async #updateInPause(over: AbortSignal): Promise<void> {
    const { state, policy, ports } = this.#parts;
    // The cost of a check grows with the view, so check only after the view has grown by a share or has shrunk.
    const size = sizeTokens(state.view);
    const hasChanged = size < this.#checkedTokens || size >= this.#checkedTokens * (1 + CHECK_AGAIN_SHARE);
    if (hasChanged && (await this.#updateIfDue(over))) return;
    const { atMs, lifetimeMs } = state.ledger.sources["main"]?.previous ?? {};
    if (atMs === undefined || lifetimeMs === undefined || policy.current.notes === undefined) return;
    const dueAtMs = atMs + lifetimeMs * (1 - ENDING_SHARE) + 1;
    await ports.clock.wait(Math.max(0, dueAtMs - ports.clock.now()), over, "free");
    if (!over.aborted) await this.#updateIfDue(over);
  }

  async #updateIfDue(over: AbortSignal): Promise<boolean> {
    const { state, policy, measures } = this.#parts;
    if (policy.current.notes === undefined || this.#running !== undefined) return false;
    const notes = await this.#current();
    if (over.aborted) return false;
    this.#checkedTokens = sizeTokens(state.view);
    const { countTokens } = measuresOf(state.view);
    const window = measures.windowState(isBare(notes) ? 0 : countTokens(notesMarkdown(notes)));
    const { value: reason, failure } = updateReason(policy.current, window);
    policy.countCall("notes", failure);
    if (reason === undefined) return false;
    await this.update();
    return true;
  }

  /** Plans a compaction that uses the notes as its summary. Waits a short time for a running update. */
  async planCompaction(snapshot: Snapshot): Promise<NotesCompaction> {
    const { state, policy, ports } = this.#parts;
    const rule = policy.current.notes;
    if (rule === undefined) return { kind: "declined", cause: "no-notes", reason: "the policy has no notes" };
    const running = this.#running;
    if (running !== undefined && ports.clock.now() - running.sinceMs < DEAD_MS) {
      const over = new AbortController();
      await Promise.race([running.done, ports.clock.wait(WAIT_MS, over.signal)]);
      over.abort(NO_LONGER_NEEDED);
    }
    const { notes: newest } = state.carriedState;
    if (newest === undefined) return { kind: "declined", cause: "no-notes", reason: "there are no notes" };
    const { boundary } = snapshot.carriedState.chain;
    return planNotesCompaction({
      items: snapshot.items,
      notes: await this.#current(),
      notesEntry: newest.entry,
      recall: recallOf(snapshot.configuration.tools),
      coveredTo: newest.coveredTo,
      newestBoundary: boundary === 0 ? undefined : boundary,
      minimumTokens: rule.keep.tokens,
      minimumTextMessages: rule.keep.messages,
      maximumTokens: rule.keep.maxTokens,
      sectionTokens: rule.sectionTokens,
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
