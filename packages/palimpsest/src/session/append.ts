// Appends content to a session: cleans texts, stores large results in files, and replaces media that no provider
// accepts.

import { type Draft, namedKind, readPayload, toDraft, toNamedDraft } from "../log/entry.ts";
import { type NewContent, type StreamedResult, toContents, toolResult, user } from "../log/messages.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import { type Provenance, withProvenance } from "../log/provenance.ts";
import { checkContent } from "../media/media.ts";
import type { NewEvent } from "../session-event.ts";
import type { SessionCore } from "../state/core.ts";
import { cleanContent } from "../state/host-content.ts";
import { isOnBranch } from "../state/load.ts";
import type { ContentInlet } from "../state/ports.ts";
import type { SessionState } from "../state/state.ts";
import { resultOf } from "../store-results/preview.ts";
import {
  failureNotice,
  storeMessage,
  storeStream,
  storingFailed,
  storingOptions,
  toolOf,
} from "../store-results/store.ts";
import { sha256 } from "../stores/sha256.ts";
import { openingOf } from "./record.ts";

export interface AppendOptions {
  /**
   * Makes the append idempotent: a second append with the same key appends nothing and resolves to the entry numbers of
   * the first, even after a crash or in another process. There is no limit to the number of keys. A rewind that undoes
   * an append also frees its key. @default every append appends
   */
  readonly key?: string;
  /**
   * The source of content that names none: `{ kind: "outside", name: "standard input" }` for text that somebody else
   * wrote. The model sees such text as data. @default a string and `user()` are the user's words, an attachment is
   * "outside"
   */
  readonly provenance?: Provenance;
  /**
   * `wanted`: the model must answer this content, even an attachment. `session.turn.next()` asks for a request until
   * the model has answered. @default user and host messages are answered, attachments and command outputs
   * are not
   */
  readonly answer?: "wanted";
}

/** The draft of one message or attachment, with its notices and events. */
interface Prepared {
  readonly draft: Draft;
  /** Entries that follow the content of the batch: notices for the user, stubs for the model. */
  readonly notice: readonly Draft[];
  readonly newEvents: readonly NewEvent[];
}

/** Turns content into entries. All content of a session goes through this class. */
export class Inlet implements ContentInlet {
  readonly #core: SessionCore;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /**
   * Appends content, unless its key was used before on this branch. Looking up a key costs one seek in a log of any
   * length.
   */
  async appendOnce(
    content: NewContent | readonly NewContent[],
    { key, provenance, answer }: AppendOptions = {},
  ): Promise<readonly number[]> {
    const items = isList(content) ? content : [content];
    const list = provenance === undefined ? items : items.map((item) => fromProvenance(item, provenance));
    const opening = answer === undefined ? [] : openingOf(list);
    if (key === undefined) return this.append(list, opening);
    const name = sha256(key);
    const before = await findKeyed(this.#core.state, name);
    if (before !== undefined) return before;
    const entries = list.flatMap(toContents).length;
    return this.append(list, [...opening, toNamedDraft("key", name, { key, entries })]);
  }

  async append(
    content: readonly NewContent[],
    before: readonly Draft[] = [],
    after: readonly Draft[] = [],
  ): Promise<readonly number[]> {
    const prepared: Prepared[] = [];
    for (const original of content.flatMap(toContents)) {
      const cleaned = cleanContent(original, this.#core.options.cleanText);
      const entry = this.#core.state.newestEntry + 1 + before.length + prepared.length;
      prepared.push("role" in cleaned ? await this.#prepareMessage(cleaned, entry) : prepareAttachment(cleaned, entry));
    }
    return this.#write(prepared, before, after);
  }

  async appendStream({ callId, chunks, status: statusOrFunction }: StreamedResult): Promise<readonly number[]> {
    const { state } = this.#core;
    const tool = toolOf(state.view.items, callId);
    // Read the stream outside `inOrder`: reading may take minutes, and the log changes only at the end.
    const content = await storeStream(chunks, { ...this.#storing(), tool });
    const status = typeof statusOrFunction === "function" ? statusOrFunction() : statusOrFunction;
    return state.inOrder(async () => {
      const entry = state.newestEntry + 1;
      if (content.kind === "inline") {
        return this.#write([await this.#prepareMessage(toolResult(callId, content.text, status), entry)]);
      }
      if (content.kind === "cut") {
        const { text, failure } = content;
        // The text was cut because storing failed. Do not store the cut text, because its preview would report the cut
        // size.
        const draft = toDraft("message", ofTool(toolResult(callId, text, status), tool));
        return this.#write([{ draft, notice: [failureNotice(failure)], newEvents: [storingFailed(failure)] }]);
      }
      const empty = ofTool(toolResult(callId, "", status), tool);
      const { payload } = await storeMessage(empty, { ...this.#storing(), entry, tool, streamed: content });
      const newEvents = [storedEvent(payload, entry, tool)];
      return this.#write([{ draft: toDraft("message", payload), notice: [], newEvents }]);
    });
  }

  /** The thresholds for storing in this turn. */
  #storing() {
    const { id, ports, state, policy } = this.#core;
    return { ...storingOptions(policy, state.configuration.tools), files: ports.files, session: id };
  }

  /** Stores a large result in a file, and replaces media that no provider accepts by stubs. */
  async #prepareMessage(message: MessagePayload, entry: number): Promise<Prepared> {
    // `state.append` refuses a message whose blocks are not a list.
    if (!Array.isArray(message.blocks)) return { draft: toDraft("message", message), notice: [], newEvents: [] };
    const result = resultOf(message);
    const tool = result && toolOf(this.#core.state.view.items, result.callId);
    const named = ofTool(message, tool);
    const { payload, failure } = await storeMessage(named, { ...this.#storing(), entry, tool });
    const { content, decisions, newEvents } = checkContent(payload, entry);
    return {
      draft: toDraft("message", content),
      notice: [
        ...(failure === undefined ? [] : [failureNotice(failure)]),
        ...decisions.map((decision) => toDraft("replace", decision)),
      ],
      newEvents: [
        ...newEvents,
        ...(payload.stored === message.stored ? [] : [storedEvent(payload, entry, tool)]),
        ...(failure === undefined ? [] : [storingFailed(failure)]),
      ],
    };
  }

  /** Appends everything in one batch. Resolves to the entry numbers of the content. */
  async #write(
    prepared: readonly Prepared[],
    before: readonly Draft[] = [],
    after: readonly Draft[] = [],
  ): Promise<readonly number[]> {
    const drafts = prepared.map(({ draft }) => draft);
    const notices = prepared.flatMap(({ notice }) => notice);
    const numbers = await this.#core.state.append([...before, ...drafts, ...notices, ...after]);
    for (const event of prepared.flatMap(({ newEvents }) => newEvents)) this.#core.ports.emit(event);
    return numbers.slice(before.length, before.length + drafts.length);
  }
}

function isList(content: NewContent | readonly NewContent[]): content is readonly NewContent[] {
  return Array.isArray(content);
}

function fromProvenance(content: NewContent, provenance: Provenance): NewContent {
  return { provenance, ...(typeof content === "string" ? user(content) : content) };
}

/** Finds the entries that were appended under a key. Undefined if there are none. */
async function findKeyed({ log, newestEntry }: SessionState, name: string): Promise<readonly number[] | undefined> {
  const entry = await log.newest(namedKind("key", name));
  const read = entry && readPayload(entry);
  if (read?.kind !== "key" || !(await isOnBranch(log, read.sequence, newestEntry))) return undefined;
  return Array.from({ length: read.payload.entries }, (_, index) => read.sequence + 1 + index);
}

function prepareAttachment(attachment: AttachmentPayload, entry: number): Prepared {
  if (!Array.isArray(attachment.blocks)) {
    return { draft: toDraft("attachment", attachment), notice: [], newEvents: [] };
  }
  const { content, decisions, newEvents } = checkContent(attachment, entry);
  const notice = decisions.map((decision) => toDraft("replace", decision));
  return { draft: toDraft("attachment", content), notice, newEvents };
}

/** Sets the tool's name as the provenance of its result. Other messages stay as they are. */
function ofTool(message: MessagePayload, tool: string | undefined): MessagePayload {
  const isNamed = tool !== undefined && message.provenance === undefined;
  return withProvenance(isNamed ? { ...message, provenance: { kind: "tool", name: tool } } : message);
}

function storedEvent({ stored }: MessagePayload, entry: number, tool: string | undefined): NewEvent {
  return { kind: "result-stored", entry, tool, bytes: stored?.bytes ?? 0, way: "alone" };
}
