import type { Draft } from "../log/entry.ts";
import type { MessagePayload } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { Settings } from "../settings/settings.ts";
import { failureNotice, storingOptions } from "../stages/store-oversized.ts";
import { resultOf } from "../stages/store-results/message-text.ts";
import { storeMessage } from "../stages/store-results/store-message.ts";
import { storeStream } from "../stages/store-results/store-stream.ts";
import type { StoringOptions } from "../stages/store-results/storing-options.ts";
import { toolOf } from "../stages/store-results/tool-of.ts";
import type { ResultFiles } from "../stores/results.ts";
import { toolResult } from "./messages.ts";
import type { SessionState } from "./session-state.ts";
import { type NewContent, toContents } from "./to-contents.ts";

export interface ContentOptions {
  readonly session: string;
  readonly state: SessionState;
  readonly settings: () => Settings;
  readonly files: ResultFiles;
}

/** The way in: the one place that everything passes before it is an entry. What is too large goes to a file here. */
export interface Contents {
  append(content: readonly NewContent[]): Promise<readonly number[]>;
  appendStream(
    callId: string,
    chunks: AsyncIterable<Uint8Array | string>,
    status: "ok" | "error",
  ): Promise<readonly number[]>;
}

const NEVER: StoringOptions = {
  thresholdCharacters: Number.MAX_SAFE_INTEGER,
  aggregateCharacters: Number.MAX_SAFE_INTEGER,
  messageCharacters: Number.MAX_SAFE_INTEGER,
};

export function createContents({ session, state, settings, files }: ContentOptions): Contents {
  function storing() {
    const now = settings();
    return { ...(now["toolResults.storing"] === "on" ? storingOptions(now) : NEVER), files, session };
  }

  /** The message as it goes into the log under a number, and what the user is to be told. */
  async function store(message: MessagePayload, entry: number): Promise<{ draft: Draft; notice: readonly Draft[] }> {
    // What cannot be a message is refused when it is appended.
    if (!Array.isArray(message.blocks)) return { draft: toDraft("message", message), notice: [] };
    const result = resultOf(message);
    const tool = result && toolOf(state.view.items, result.callId);
    const { payload, failure } = await storeMessage(message, { ...storing(), entry, tool });
    return { draft: toDraft("message", payload), notice: failure === undefined ? [] : [failureNotice(failure)] };
  }

  return {
    async append(content) {
      const drafts: Draft[] = [];
      const notices: Draft[] = [];
      for (const one of content.flatMap(toContents)) {
        const entry = state.newestEntry + 1 + drafts.length;
        const { draft, notice } =
          "role" in one ? await store(one, entry) : { draft: toDraft("attachment", one), notice: [] };
        drafts.push(draft);
        notices.push(...notice);
      }
      const numbers = await state.append([...drafts, ...notices]);
      return numbers.slice(0, drafts.length);
    },

    async appendStream(callId, chunks, status) {
      const tool = toolOf(state.view.items, callId);
      // Not in order with the rest: an output may take minutes, and touches no log until it is there.
      const content = await storeStream(chunks, { ...storing(), ...(tool === undefined ? {} : { tool }) });
      return state.inOrder(async () => {
        const entry = state.newestEntry + 1;
        if (content.kind !== "stored") {
          const { draft } = await store(toolResult(callId, content.text, status), entry);
          const notice = content.kind === "cut" ? [failureNotice(content.failure)] : [];
          return (await state.append([draft, ...notice])).slice(0, 1);
        }
        const empty = toolResult(callId, "", status);
        const { payload } = await storeMessage(empty, { ...storing(), entry, tool, streamed: content });
        return state.append([toDraft("message", payload)]);
      });
    },
  };
}
