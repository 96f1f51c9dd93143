import type { Block } from "../log/block.ts";
import type { Entry } from "../log/entry.ts";
import type { MessagePayload, StoredContent } from "../log/payload.ts";
import { type Provenance, provenanceOf } from "../log/provenance.ts";
import { branchRanges, readEntry, readWithStub } from "../state/load.ts";
import type { SessionState } from "../state/state.ts";
import type { LogReader } from "../stores/store.ts";
import { firstOverlapping } from "../view/fold.ts";
import type { View } from "../view/view.ts";

export interface MessagesOptions {
  /** Only messages before this entry: `earlier` of the page behind it. @default up to the newest */
  readonly before?: number;
  /** At most so many messages, up to 1,000. @default 50 */
  readonly limit?: number;
  /** Whether to list what the host has added for the model: reminders, files, memories. @default "without" */
  readonly attachments?: "with" | "without";
}

/** A page of messages, the oldest first. */
export interface MessagePage {
  readonly messages: readonly SessionMessage[];
  /** Pass it as `before` for the page before this one; absent on the page with the first message. */
  readonly earlier?: number;
}

/**
 * How the model sees a message now. `whole`: as it was appended. `stored`: a preview; the rest is in a file, or in the log.
 * `cleared`: a stub, or what another decision shows instead. `compacted`: as part of a summary. `erased`: nobody can read it
 * any more. `user-only`: it was never meant for the model.
 */
type ShownAs = "whole" | "stored" | "cleared" | "compacted" | "erased" | "user-only";

/** One message of the conversation, for user interfaces. A tool result is a message of its own. */
export interface SessionMessage {
  /** Its number: for `recall`, `snip`, `erase` and `rewind`. */
  readonly entry: number;
  readonly atMs: number;
  readonly role: "user" | "assistant";
  readonly origin: MessagePayload["origin"];
  /** Where its text comes from. Single blocks may say otherwise. */
  readonly provenance: Provenance;
  /** As they were appended, however the model sees them now. */
  readonly blocks: readonly Block[];
  readonly shown: ShownAs;
  /** The decision that hides it from the model; `session.history.restore(decision)` takes it back. */
  readonly decision?: number;
  /** Why it was decided. */
  readonly reason?: string;
  /** Where it is in full if it was too large when it came in: then the blocks have a preview. `recall` reads it. */
  readonly stored?: StoredContent;
  /** The pieces of one response share it. */
  readonly responseId?: string;
  readonly model?: string;
  /** The type of attachment, if it is one. */
  readonly attachment?: string;
}

type Shown = Pick<SessionMessage, "shown" | "decision" | "reason">;

/** Says how the model sees entries now. Reads each decision once. */
function createShownAs(log: LogReader, { items, hidden }: View) {
  const decisions = new Map<number, Promise<Shown>>();

  async function readDecision(decision: number): Promise<Shown> {
    const read = await readEntry(log, decision);
    if (read?.kind === "boundary") return { shown: "compacted", decision, reason: read.payload.reason };
    const reason = read?.kind === "replace" ? read.payload.reason : "";
    // The reasons of the stage that stores results begin so, in logs of every release.
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
      const known = decisions.get(decision) ?? readDecision(decision);
      decisions.set(decision, known);
      return known;
    }
    if (covering === undefined) return { shown: "compacted" };
    return { shown: stored === undefined ? "whole" : "stored" };
  };
}

const PAGE_MESSAGES = 50;
const MAX_MESSAGES = 1_000;
const BATCH_ENTRIES = 128;

/** One page of the conversation as the user lived it, up to `before`. Reads back only as far as the page reaches. */
export async function listMessages(
  { log, view, newestEntry }: SessionState,
  { before = newestEntry + 1, limit = PAGE_MESSAGES, attachments = "without" }: MessagesOptions = {},
): Promise<MessagePage> {
  const most = Math.min(limit, MAX_MESSAGES);
  const shownAs = createShownAs(log, view);
  const found: SessionMessage[] = [];

  async function toMessage(entry: Entry): Promise<SessionMessage | undefined> {
    const read = await readWithStub(log, entry);
    const { sequence, atMs } = entry;
    if (read.kind === "attachment" && attachments === "with") {
      const { type, blocks, provenance } = read.payload;
      const who = { role: "user", origin: "host", attachment: type, provenance } as const;
      return { entry: sequence, atMs, ...who, blocks, ...(await shownAs(entry, "everyone")) };
    }
    if (read.kind !== "message") return undefined;
    const { role, origin, blocks, audience = "everyone", stored, responseId, model } = read.payload;
    const known = {
      stored,
      responseId,
      model,
    };
    const shown = await shownAs(entry, audience, stored);
    return { entry: sequence, atMs, role, origin, provenance: provenanceOf(read.payload), blocks, ...known, ...shown };
  }

  for await (const { from, to } of branchRanges(log, newestEntry)) {
    for (let last = Math.min(to, before - 1); last >= from; last -= BATCH_ENTRIES) {
      const batch = await log.read(Math.max(from, last - BATCH_ENTRIES + 1), last);
      for (const entry of batch.toReversed()) {
        const message = await toMessage(entry);
        // One more than fits on the page: there is an earlier one.
        if (message !== undefined && found.length === most) return pageOf(found, found.at(-1)!.entry);
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
