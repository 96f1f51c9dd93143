// Lists the messages of a session as the user saw them, one page at a time.

import type { Block } from "../log/block.ts";
import type { Entry } from "../log/entry.ts";
import type { MessagePayload, StoredContent } from "../log/payload.ts";
import { type Provenance, provenanceOf } from "../log/provenance.ts";
import { branchRanges, readEntry, readWithStub } from "../state/load.ts";
import type { SessionState } from "../state/state.ts";
import type { LogReader } from "../stores/store.ts";
import { firstOverlapping } from "../view/fold.ts";
import type { View } from "../view/view.ts";

const PAGE_MESSAGES = 50;
const MAX_MESSAGES = 1_000;
const BATCH_ENTRIES = 128;

export interface MessagesOptions {
  /** Lists only messages before this entry: pass `earlier` of the next newer page. @default up to the newest */
  readonly before?: number;
  /** The maximum number of messages, up to 1,000. @default 50 */
  readonly limit?: number;
  /** Whether to list the content that the host added for the model: reminders, files, memories. @default "without" */
  readonly attachments?: "with" | "without";
}

/** A page of messages, oldest first. */
export interface MessagePage {
  readonly messages: readonly SessionMessage[];
  /** Pass it as `before` to get the previous page. Absent on the page with the first message. */
  readonly earlier?: number;
}

/**
 * How the model sees a message now. `whole`: as it was appended. `stored`: a preview; the rest is in a file, or in the
 * log. `cleared`: a stub, or the content of another decision. `compacted`: as part of a summary. `erased`: nobody can
 * read it any more. `user-only`: the model never saw it.
 */
type ShownAs = "whole" | "stored" | "cleared" | "compacted" | "erased" | "user-only";

/** One message of the conversation, for user interfaces. Each tool result is a separate message. */
export interface SessionMessage {
  /** The entry number, for `recall`, `snip`, `erase` and `rewind`. */
  readonly entry: number;
  readonly atMs: number;
  readonly role: "user" | "assistant";
  readonly origin: MessagePayload["origin"];
  /** The source of the text. Single blocks can have another source. */
  readonly provenance: Provenance;
  /** The blocks as they were appended, whatever the model sees now. */
  readonly blocks: readonly Block[];
  readonly shown: ShownAs;
  /** The decision that hides the message from the model. `session.history.restore(decision)` undoes it. */
  readonly decision?: number;
  /** The reason for the decision. */
  readonly reason?: string;
  /**
   * The file with the full content, if the message was too large when it was appended. The blocks then have a preview.
   * `recall` reads the file.
   */
  readonly stored?: StoredContent;
  /** All messages of one response have the same id. */
  readonly responseId?: string;
  readonly model?: string;
  /** The type of the attachment, if the message is one. */
  readonly attachment?: string;
}

/**
 * Reads one page of the conversation, with the messages before `before`. Reads back only as far as the page reaches.
 */
export async function listMessages(
  { log, view, newestEntry }: SessionState,
  { before = newestEntry + 1, limit = PAGE_MESSAGES, attachments = "without" }: MessagesOptions = {},
): Promise<MessagePage> {
  const maximum = Math.min(limit, MAX_MESSAGES);
  const shownAs = createShownAs(log, view);
  const found: SessionMessage[] = [];

  async function toMessage(entry: Entry): Promise<SessionMessage | undefined> {
    const read = await readWithStub(log, entry);
    const { sequence, atMs } = entry;
    if (read.kind === "attachment" && attachments === "with") {
      const { type, blocks, provenance } = read.payload;
      const author = { role: "user", origin: "host", attachment: type, provenance } as const;
      return { entry: sequence, atMs, ...author, blocks, ...(await shownAs(entry, "everyone")) };
    }
    if (read.kind !== "message") return undefined;
    const { role, origin, blocks, audience = "everyone", stored, responseId, model } = read.payload;
    const optional = {
      stored,
      responseId,
      model,
    };
    const shown = await shownAs(entry, audience, stored);
    return {
      entry: sequence,
      atMs,
      role,
      origin,
      provenance: provenanceOf(read.payload),
      blocks,
      ...optional,
      ...shown,
    };
  }

  for await (const { from, to } of branchRanges(log, newestEntry)) {
    for (let last = Math.min(to, before - 1); last >= from; last -= BATCH_ENTRIES) {
      const batch = await log.read(Math.max(from, last - BATCH_ENTRIES + 1), last);
      for (const entry of batch.toReversed()) {
        const message = await toMessage(entry);
        // The page is full, so there is an earlier message.
        if (message !== undefined && found.length === maximum) return pageOf(found, found.at(-1)!.entry);
        if (message !== undefined) found.push(message);
      }
    }
  }
  return pageOf(found);
}

function pageOf(newestFirst: readonly SessionMessage[], earlier?: number): MessagePage {
  const messages = newestFirst.toReversed();
  return earlier === undefined ? { messages } : { messages, earlier };
}

type Shown = Pick<SessionMessage, "shown" | "decision" | "reason">;

/** Creates a function that tells how the model sees an entry now. Reads each decision once. */
function createShownAs(log: LogReader, { items, hidden }: View) {
  const decisions = new Map<number, Promise<Shown>>();

  async function readDecision(decision: number): Promise<Shown> {
    const read = await readEntry(log, decision);
    if (read?.kind === "boundary") return { shown: "compacted", decision, reason: read.payload.reason };
    const reason = read?.kind === "replace" ? read.payload.reason : "";
    // In logs of every release, reasons from the stage that stores results begin with this word.
    return { shown: reason.startsWith("stored") ? "stored" : "cleared", decision, reason };
  }

  return async function shownAs(
    { sequence, payload }: Entry,
    audience: NonNullable<MessagePayload["audience"]>,
    stored?: StoredContent,
  ): Promise<Shown> {
    if (payload === undefined) return { shown: "erased" };
    if (audience === "user") return { shown: "user-only" };
    const item = items[firstOverlapping(items, { from: sequence })];
    const covering = item !== undefined && item.from <= sequence ? item : undefined;
    const decision =
      covering === undefined
        ? hidden.find(({ from, to }) => from <= sequence && sequence <= to)?.by
        : covering.kind === "message"
          ? covering.by
          : undefined;
    if (decision !== undefined) {
      const shown = decisions.get(decision) ?? readDecision(decision);
      decisions.set(decision, shown);
      return shown;
    }
    if (covering === undefined) return { shown: "compacted" };
    return { shown: stored === undefined ? "whole" : "stored" };
  };
}
