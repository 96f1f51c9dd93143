import { SessionBusyError, SessionLostError } from "../errors.ts";
import type { MessagePayload, ReplacePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { toDraft } from "../log/to-draft.ts";
import { openSessionState } from "../state/state.ts";
import type { Store } from "../stores/store.ts";
import type { Item } from "../view/item.ts";
import { changeConfiguration } from "./change-configuration.ts";
import { createDecisions } from "./decisions.ts";
import { createBufferedWriter } from "./recorder/buffered-writer.ts";
import { type PastResponse, type PastUsage, responseDrafts, usageDraft } from "./recorder/past-response.ts";
import { type NewContent, toContents } from "./to-contents.ts";

export interface RecorderOptions {
  readonly store: Store;
  readonly id: string;
  /** Names the writer to other processes that find the session in use. */
  readonly owner: string;
}

/** What was sent beside the messages, by whom. */
export interface PastConfiguration {
  readonly model: string;
  readonly provider: string;
  readonly provenance: Provenance;
  /** @default none */
  readonly system?: string;
}

/** An entry that was written, with the content it holds. */
export interface RecordedContent {
  readonly entry: number;
  readonly content: Exclude<NewContent, string>;
}

/**
 * Writes a session that took place somewhere else, with the times it had. From then on it is a session like any other.
 * Entries are written many at a time: a process that dies leaves a part of them, and the recording is made again.
 */
export interface SessionRecorder {
  readonly id: string;
  readonly newestEntry: number;
  /** The model that is configured now. */
  readonly model: string;
  /** Items that the model would see now. */
  readonly items: readonly Item[];
  /** Sets the time of the entries that are written next. */
  setTime(atMs: number): void;
  /** Writes what another agent sent beside the messages. A session that goes on from here has its own. */
  configure(wanted: PastConfiguration): Promise<void>;
  append(content: NewContent): Promise<readonly RecordedContent[]>;
  /** Writes a message of the model without a request: one that was copied from another session and paid for there. */
  appendInherited(message: MessagePayload): Promise<number>;
  /** Writes a request, its answer and its usage. Resolves to the entry of the answer, if it said something. */
  appendResponse(response: PastResponse): Promise<number | undefined>;
  /** Writes the usage of a call that is no part of this conversation. */
  enterUsage(usage: PastUsage): Promise<void>;
  replace(...decisions: readonly ReplacePayload[]): Promise<void>;
  fold(payload: ReplacePayload): Promise<void>;
  rewind(to: number, reason: string): Promise<void>;
  /** Resolves to the number of entries when the store holds all of them. */
  flush(): Promise<number>;
  close(): Promise<void>;
}

export type OpenedRecorder =
  | { readonly kind: "opened"; readonly recorder: SessionRecorder }
  /** A session of this id is in the store already. Nothing was written. */
  | { readonly kind: "exists"; readonly entries: number };

/** Opens a writer for a session that took place somewhere else. */
export async function openRecorder({ store, id, owner }: RecorderOptions): Promise<OpenedRecorder> {
  const result = await store.openWriter(id, { owner });
  if (result.kind === "busy") throw new SessionBusyError({ session: id, ...result });
  const { sequence } = await result.writer.head();
  if (sequence > 0) {
    await result.writer.close();
    return { kind: "exists", entries: sequence };
  }
  const writer = await createBufferedWriter(result.writer);
  let nowMs = 0;
  const state = await openSessionState({ session: id, writer, clock: { now: () => nowMs } });
  const setTime = (atMs: number): void => {
    nowMs = Math.round(atMs);
  };
  const decisions = () => createDecisions({ state, provider: state.configuration.provider });

  const recorder: SessionRecorder = {
    id,
    get newestEntry() {
      return state.newestEntry;
    },
    get model() {
      return state.configuration.model;
    },
    get items() {
      return state.view.items;
    },
    setTime,
    async configure(wanted) {
      const payload = changeConfiguration(state.view.configuration, wanted);
      if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
    },
    async append(content) {
      const contents = toContents(content);
      const drafts = contents.map((one) => ("role" in one ? toDraft("message", one) : toDraft("attachment", one)));
      const entries = await state.append(drafts);
      return entries.map((entry, index) => ({ entry, content: contents[index]! }));
    },
    async appendInherited(message) {
      const [entry] = await state.append([toDraft("message", message)]);
      return entry!;
    },
    async appendResponse(response) {
      setTime(response.sentAtMs);
      const { request, answer } = await responseDrafts(state, response);
      const [answers] = await state.append([request]);
      setTime(response.atMs);
      const [entry] = await state.append(answer(answers!));
      return response.message.blocks.length === 0 ? undefined : entry;
    },
    async enterUsage(usage) {
      setTime(usage.atMs);
      await state.append([usageDraft(state.view, usage)]);
    },
    async replace(...payloads) {
      if (payloads.length > 0) await state.append(payloads.map((payload) => toDraft("replace", payload)));
    },
    async fold(payload) {
      await decisions().fold(payload);
    },
    rewind: (to, reason) => decisions().rewind(to, reason),
    async flush() {
      const flushed = await writer.flush();
      if (flushed.kind !== "appended") throw new SessionLostError(id, "somebody else has begun to write it");
      return state.newestEntry;
    },
    close: () => state.close(),
  };
  return { kind: "opened", recorder };
}
