import type { MessagePayload } from "../log/payload.ts";
import type { StoredEnds, StoringFailure } from "../stages/store-results/content.ts";
import { markEmpty, resultOf, textOf, withPreview, withText } from "../stages/store-results/message-text.ts";
import { storeText } from "../stages/store-results/store-text.ts";
import {
  atLeastPreview,
  type StoringOptions,
  type StoringSettings,
  settingsOf,
  thresholdOf,
} from "../stages/store-results/storing-options.ts";
import type { ResultFiles } from "../stores/results.ts";
import { type PreviewOptions, previewText, shapeOf } from "./preview.ts";

export interface StoreMessageOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
  /** The number that the message's entry will have. */
  readonly entry: number;
  /** The tool of the result, if the message is a result and its tool is known. */
  readonly tool?: string | undefined;
}

export interface StoredMessage {
  /** The message for the log. */
  readonly payload: MessagePayload;
  /** The message should have been stored, but storing failed. */
  readonly failure?: StoringFailure;
}

/**
 * Prepares a message for the log: large content goes into a file, and the log gets a preview. Content that was stored
 * while it arrived (`streamed`) only needs its preview; `payload` then names the call.
 */
export async function storeMessage(
  payload: MessagePayload,
  options: StoreMessageOptions & { readonly streamed?: StoredEnds },
): Promise<StoredMessage> {
  const settings = settingsOf(options);
  if (options.streamed !== undefined) return { payload: preview(payload, options.streamed, options, settings) };
  const marked = markEmpty(payload);
  const threshold = thresholdOfMessage(marked, options.tool, settings);
  const text = threshold === Number.POSITIVE_INFINITY ? "" : textOf(marked);
  if (text.length <= threshold) return { payload: marked };
  const { files, session } = options;
  const content = await storeText(text, { files, session, previewCharacters: settings.previewCharacters });
  if (content.kind === "stored") return { payload: preview(marked, content, options, settings) };
  return { payload: { ...marked, blocks: withText(marked.blocks, content.text) }, failure: content.failure };
}

/** Returns the preview of stored content, in the same form for all. */
export function previewOf(
  { stored, head, tail }: StoredEnds,
  { files, session, entry, tool }: StoreMessageOptions,
  settings: StoringSettings,
): string {
  const ends = { head, tail, bytes: stored.bytes, lines: stored.lines };
  const chosen =
    tool !== undefined && Object.hasOwn(settings.previewShapes, tool) ? settings.previewShapes[tool] : undefined;
  const how: PreviewOptions = {
    shape: chosen ?? shapeOf(tool, ends),
    maxCharacters: settings.previewCharacters,
    entry,
    path: files.locate(session, stored.file),
    recall: settings.recall,
  };
  return previewText(ends, how);
}

function preview(
  payload: MessagePayload,
  content: StoredEnds,
  options: StoreMessageOptions,
  settings: StoringSettings,
): MessagePayload {
  return withPreview(payload, previewOf(content, options, settings), content.stored);
}

/** Messages of the model, messages only for the user, and summaries are never stored. */
function thresholdOfMessage(payload: MessagePayload, tool: string | undefined, settings: StoringSettings): number {
  if (payload.stored !== undefined) return Number.POSITIVE_INFINITY;
  if (resultOf(payload) !== undefined) return thresholdOf(tool, settings);
  const isWords = payload.role === "user" && payload.audience !== "user" && payload.origin !== "summary";
  return isWords ? atLeastPreview(settings.messageCharacters, settings) : Number.POSITIVE_INFINITY;
}
