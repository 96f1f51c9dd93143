import type { Entry } from "../log/entry.ts";
import { provenanceOf } from "../log/provenance.ts";
import type { SessionState } from "../state/state.ts";
import { branchRanges } from "./branch-ranges.ts";
import { readWithStub } from "./erase/read-with-stub.ts";
import type { MessagePage, MessagesOptions, SessionMessage } from "./message-list/session-message.ts";
import { createShownAs } from "./message-list/shown-as.ts";

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
      ...(stored === undefined ? {} : { stored }),
      ...(responseId === undefined ? {} : { responseId }),
      ...(model === undefined ? {} : { model }),
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
