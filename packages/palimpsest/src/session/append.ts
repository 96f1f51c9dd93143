import { namedKind, readPayload, toDraft, toNamedDraft } from "../log/draft.ts";
import type { Draft } from "../log/entry.ts";
import { type NewContent, toContents, toolResult, user } from "../log/messages.ts";
import type { AttachmentPayload, MessagePayload } from "../log/payload.ts";
import { type Provenance, withProvenance } from "../log/provenance.ts";
import { checkContent } from "../media/check-content.ts";
import type { NewEvent } from "../session-event.ts";
import type { SessionContext } from "../state/context.ts";
import { cleanContent } from "../state/host-content.ts";
import { isOnBranch } from "../state/load.ts";
import type { Contents } from "../state/ports.ts";
import type { SessionState } from "../state/state.ts";
import { resultOf } from "../store-results/preview.ts";
import { failureNotice, storingFailed, storingOptions } from "../store-results/stage.ts";
import { type StoringOptions, storeMessage, storeStream, toolOf } from "../store-results/store.ts";
import { sha256 } from "../stores/sha256.ts";
import { openingOf } from "./record.ts";

/** A message as it goes into the log, with what the user and the listeners are to be told. */
interface Prepared {
  readonly draft: Draft;
  /** What stands behind all of the content: notices for the user, stubs for the model. */
  readonly notice: readonly Draft[];
  readonly newEvents: readonly NewEvent[];
}

const NEVER: StoringOptions = {
  thresholdCharacters: Number.MAX_SAFE_INTEGER,
  aggregateCharacters: Number.MAX_SAFE_INTEGER,
  messageCharacters: Number.MAX_SAFE_INTEGER,
};

export function createContents(context: SessionContext): Contents {
  const { session, state, settings, files, emit } = context;
  const { cleanText } = context.options;
  function storing() {
    const now = settings();
    const { tools } = state.configuration;
    return { ...(now["toolResults.storing"] === "on" ? storingOptions(now, tools) : NEVER), files, session };
  }

  async function store(message: MessagePayload, entry: number): Promise<Prepared> {
    // What cannot be a message is refused when it is appended.
    if (!Array.isArray(message.blocks)) return { draft: toDraft("message", message), notice: [], newEvents: [] };
    const result = resultOf(message);
    const tool = result && toolOf(state.view.items, result.callId);
    const told = ofTool(message, tool);
    const { payload, failure } = await storeMessage(told, { ...storing(), entry, tool });
    const { content, decisions, newEvents } = checkContent(payload, entry);
    return {
      draft: toDraft("message", content),
      notice: [
        ...(failure === undefined ? [] : [failureNotice(failure)]),
        ...decisions.map((decision) => toDraft("replace", decision)),
      ],
      newEvents: [
        ...newEvents,
        ...(payload.stored === message.stored ? [] : [stored(payload, entry, tool)]),
        ...(failure === undefined ? [] : [storingFailed(failure)]),
      ],
    };
  }

  async function appendAll(
    prepared: readonly Prepared[],
    before: readonly Draft[] = [],
    behind: readonly Draft[] = [],
  ): Promise<readonly number[]> {
    const drafts = prepared.map(({ draft }) => draft);
    const notices = prepared.flatMap(({ notice }) => notice);
    const numbers = await state.append([...before, ...drafts, ...notices, ...behind]);
    prepared.flatMap(({ newEvents }) => newEvents).forEach(emit);
    return numbers.slice(before.length, before.length + drafts.length);
  }

  return {
    async append(content, before = [], behind = []) {
      const prepared: Prepared[] = [];
      for (const given of content.flatMap(toContents)) {
        const one = cleanContent(given, cleanText);
        const entry = state.newestEntry + 1 + before.length + prepared.length;
        prepared.push("role" in one ? await store(one, entry) : attach(one, entry));
      }
      return appendAll(prepared, before, behind);
    },

    async appendStream({ callId, chunks, status: wanted }) {
      const tool = toolOf(state.view.items, callId);
      // Not in order with the rest: an output may take minutes, and touches no log until it is there.
      const content = await storeStream(chunks, { ...storing(), ...(tool === undefined ? {} : { tool }) });
      const status = typeof wanted === "function" ? wanted() : wanted;
      return state.inOrder(async () => {
        const entry = state.newestEntry + 1;
        if (content.kind === "inline") return appendAll([await store(toolResult(callId, content.text, status), entry)]);
        if (content.kind === "cut") {
          const { text, failure } = content;
          // Not stored once more, as the shorter text that it is now: its preview would tell of no more than that.
          const draft = toDraft("message", ofTool(toolResult(callId, text, status), tool));
          return appendAll([{ draft, notice: [failureNotice(failure)], newEvents: [storingFailed(failure)] }]);
        }
        const empty = ofTool(toolResult(callId, "", status), tool);
        const { payload } = await storeMessage(empty, { ...storing(), entry, tool, streamed: content });
        return appendAll([
          { draft: toDraft("message", payload), notice: [], newEvents: [stored(payload, entry, tool)] },
        ]);
      });
    },
  };
}

/** A result with the name of its tool; anything else as it is. */
function ofTool(message: MessagePayload, tool: string | undefined): MessagePayload {
  const isNamed = tool !== undefined && message.provenance === undefined;
  return withProvenance(isNamed ? { ...message, provenance: { kind: "tool", name: tool } } : message);
}

function attach(attachment: AttachmentPayload, entry: number): Prepared {
  if (!Array.isArray(attachment.blocks)) {
    return { draft: toDraft("attachment", attachment), notice: [], newEvents: [] };
  }
  const { content, decisions, newEvents } = checkContent(attachment, entry);
  const notice = decisions.map((decision) => toDraft("replace", decision));
  return { draft: toDraft("attachment", content), notice, newEvents };
}

function stored({ stored }: MessagePayload, entry: number, tool: string | undefined): NewEvent {
  return {
    kind: "result-stored",
    entry,
    ...(tool === undefined ? {} : { tool }),
    bytes: stored?.bytes ?? 0,
    way: "alone",
  };
}

export interface AppendOptions {
  /**
   * Names this append: a second one with the same key appends nothing and resolves to the entry numbers of the first, also
   * after a crash or in another process. There is no limit to the number of keys. An append that a rewind has taken back does
   * not count. @default every append appends
   */
  readonly key?: string;
  /**
   * Where the text comes from, for content that does not say it: `{ kind: "outside", name: "standard input" }` for what
   * somebody else wrote. The model sees it as data. @default a string and `user()` are the user's words, an attachment is "outside"
   */
  readonly provenance?: Provenance;
  /**
   * `wanted`: the model is to answer this content, even if it is an attachment. `session.turn.next()` then says so until it has.
   * @default messages of the user and of the host are answered, attachments and command outputs are not
   */
  readonly answer?: "wanted";
}

/** Appends content, unless its key was used before on this branch. Costs a seek, whatever the length of the log. */
export async function appendOnce(
  state: SessionState,
  contents: Contents,
  content: NewContent | readonly NewContent[],
  { key, provenance, answer }: AppendOptions = {},
): Promise<readonly number[]> {
  const given = isList(content) ? content : [content];
  const list = provenance === undefined ? given : given.map((one) => fromProvenance(one, provenance));
  const opening = answer === undefined ? [] : openingOf(list);
  if (key === undefined) return contents.append(list, opening);
  const name = sha256(key);
  const before = await findKeyed(state, name);
  if (before !== undefined) return before;
  const entries = list.flatMap(toContents).length;
  return contents.append(list, [...opening, toNamedDraft("key", name, { key, entries })]);
}

/** The entries that were appended under a key; undefined if none were. */
async function findKeyed({ log, newestEntry }: SessionState, name: string): Promise<readonly number[] | undefined> {
  const entry = await log.newest(namedKind("key", name));
  const read = entry && readPayload(entry);
  if (read?.kind !== "key" || !(await isOnBranch(log, read.sequence, newestEntry))) return undefined;
  return Array.from({ length: read.payload.entries }, (_, index) => read.sequence + 1 + index);
}

function fromProvenance(content: NewContent, provenance: Provenance): NewContent {
  return { provenance, ...(typeof content === "string" ? user(content) : content) };
}

function isList(content: NewContent | readonly NewContent[]): content is readonly NewContent[] {
  return Array.isArray(content);
}
