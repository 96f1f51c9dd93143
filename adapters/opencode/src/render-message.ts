// Renders messages in the form of opencode.

import type { Block, Part, ToolResult } from "palimpsest";
import {
  canBeShown,
  describeMedia,
  type FlatMessage,
  fileNameOf,
  frozenCopy,
  type Media,
  type Native,
  toUrl,
} from "palimpsest/provider-parts";
import { asObject, asString, type JsonObject } from "palimpsest/schema";
import { type Author, OPENCODE, type OpencodeMessage, type OpencodePiece } from "./wire.ts";

export function renderMessage({ role, blocks }: FlatMessage): readonly OpencodePiece[] {
  if (role === "assistant") {
    const parts = blocks.flatMap(renderWritten);
    const author = blocks.map(authorOf).find(Boolean);
    return parts.length === 0 ? [] : frozenCopy([{ kind: "answer", author, parts }]);
  }
  const results = blocks.flatMap((block) => (block.kind === "tool_result" ? [renderResult(block)] : []));
  const parts = blocks.flatMap((block) => (block.kind === "tool_result" ? [] : renderInput(block)));
  return frozenCopy([...results, ...(parts.length === 0 ? [] : [{ kind: "user" as const, parts }])]);
}

/**
 * Converts pieces to messages of opencode, with the fields of its newest messages.
 * @param reminders the parts to add to the newest user message
 */
export function toOpencode(
  pieces: readonly OpencodePiece[],
  like: { readonly user: JsonObject; readonly answer: JsonObject },
  reminders: readonly JsonObject[] = [],
): OpencodeMessage[] {
  const newest = pieces.findLastIndex(({ kind }) => kind === "user");
  const states = new Map(pieces.flatMap((piece) => (piece.kind === "result" ? [[piece.callID, piece.state]] : [])));
  return pieces.flatMap((piece, at): readonly OpencodeMessage[] => {
    if (piece.kind === "result") return [];
    const id = `msg_${String(at).padStart(8, "0")}`;
    if (piece.kind === "user")
      return [{ info: { ...like.user, id }, parts: [...piece.parts, ...(at === newest ? reminders : [])] }];
    const info = { ...like.answer, providerID: "", modelID: "", ...piece.author, id, role: "assistant" };
    const parts = piece.parts.map((part) => {
      if (part["type"] !== "tool") return part;
      const { input } = asObject(part["state"]) ?? {};
      return { ...part, state: { input, ...states.get(asString(part["callID"]) ?? "") } };
    });
    return [{ info, parts: [{ type: "step-start" }, ...parts] }];
  });
}

function renderWritten(block: Block): readonly JsonObject[] {
  const metadata = "native" in block ? ownFields(block.native)["metadata"] : undefined;
  const own = metadata === undefined ? {} : { metadata };
  switch (block.kind) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text, ...own }];
    case "thinking":
      return block.provider === OPENCODE ? [{ type: "reasoning", text: block.text, ...own }] : [];
    case "tool_call":
      return [{ type: "tool", callID: block.id, tool: block.name, state: { input: toInput(block.input) }, ...own }];
    default:
      return [];
  }
}

/** Returns the input as an object, because services accept nothing else. */
function toInput(input: unknown): JsonObject {
  return asObject(input) ?? (input === undefined ? {} : { input });
}

function renderResult({ callId: callID, content, status }: ToolResult): OpencodePiece {
  const parts: readonly Part[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  const output = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  const attachments = parts.flatMap((part) =>
    part.kind === "image" || part.kind === "document" ? [renderMedia(part)] : [],
  );
  const state =
    status === "error"
      ? { status, error: output }
      : {
          status: "completed",
          output,
          title: "",
          metadata: {},
          time: {},
          ...(attachments.length === 0 ? {} : { attachments }),
        };
  return { kind: "result", callID, state };
}

function renderInput(part: Part | Block): readonly JsonObject[] {
  if (part.kind === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  return part.kind === "image" || part.kind === "document" ? [renderMedia(part)] : [];
}

function renderMedia(media: Media): JsonObject {
  const { source } = media;
  if (!canBeShown(media)) return { type: "text", text: describeMedia(media) };
  const mime = source.kind === "base64" ? source.mediaType : media.kind === "image" ? "image/png" : "application/pdf";
  return {
    type: "file",
    mime,
    url: toUrl(source),
    ...(source.kind === "base64" ? { filename: fileNameOf(source) } : {}),
  };
}

function authorOf(block: Block): Author | undefined {
  const author = "native" in block ? asObject(ownFields(block.native)["author"]) : undefined;
  return author as Author | undefined;
}

function ownFields(native: Native | undefined): JsonObject {
  return native?.provider === OPENCODE ? (asObject(native.block) ?? {}) : {};
}
