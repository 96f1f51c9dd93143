// Turns entries into items of the view, and configuration entries into the current configuration.

import type { Block, ToolCall } from "../log/block.ts";
import type { PassedOver, ReadEntry } from "../log/entry.ts";
import type {
  AttachmentPayload,
  ConfigurationPayload,
  Held,
  MessagePayload,
  Replacement,
  RequestPayload,
  ToolDefinition,
} from "../log/payload.ts";
import type { FeatureOptions, Features } from "../size/calibration.ts";
import { headTools } from "./tool-search.ts";
import {
  type Configuration,
  type Item,
  type MessageItem,
  type Seal,
  sumOfFeatures,
  toItem,
  type View,
} from "./view.ts";

/** Returns the item of an entry before any decision; undefined if the entry is not for the model. */
export function itemOf(read: ReadEntry | PassedOver, options?: FeatureOptions): Item | undefined {
  switch (read.kind) {
    case "message":
      return read.payload.audience === "user" ? undefined : messageItem(read.sequence, read.payload, options);
    case "attachment":
      return attachmentItem(read.sequence, read.payload, options);
    case "request":
      return sealItem(read.sequence, read.payload);
    default:
      return undefined;
  }
}

/** Returns the item of a message. */
export function messageItem(
  at: number,
  { role, blocks, origin, provenance, responseId, answers, provider, stored, stop }: MessagePayload,
  options?: FeatureOptions,
): MessageItem {
  const known = {
    provenance,
    responseId,
    answers,
    provider,
    stored,
    stop,
  };
  return toItem({ from: at, to: at, role, blocks, origin, ...known }, options);
}

function attachmentItem(
  at: number,
  { type, blocks, provenance }: AttachmentPayload,
  options?: FeatureOptions,
): MessageItem {
  return toItem({ from: at, to: at, role: "user", blocks, origin: "host", attachment: type, provenance }, options);
}

/** Returns the item that marks the end of a request. */
export function sealItem(
  at: number,
  { maxTokens, previousResponseId, cacheTtl, headTtl, cache }: RequestPayload,
): Seal {
  const compared = previousResponseId === undefined ? {} : { previousResponseId };
  const asked = {
    cacheTtl,
    headTtl,
    edits: cache?.edits,
    deleted: cache?.deleted,
  };
  return { kind: "seal", from: at, to: at, maxTokens, ...compared, ...asked };
}

/** Returns the items that a decision shows instead of a range. */
export function replacementItems(
  { from, to, by }: Pick<MessageItem, "from" | "to"> & { readonly by: number },
  replacements: readonly Replacement[],
  options?: FeatureOptions,
): MessageItem[] {
  return replacements.map((replacement) => toItem({ from, to, by, ...replacement }, options));
}

/** Reads a configuration, with unchanged parts from an earlier entry; undefined if that entry is no longer in effect. */
export function resolveConfiguration(
  at: number,
  { provider, model, system, tools, parameters, provenance }: ConfigurationPayload,
  before: Configuration | undefined,
  options?: FeatureOptions,
): Configuration | undefined {
  const systemPart = resolve(at, system, before && { value: before.system, heldBy: before.systemHeldBy });
  const toolsPart = resolve(at, tools, before && { value: before.tools, heldBy: before.toolsHeldBy });
  if (systemPart === undefined || toolsPart === undefined) return undefined;
  return {
    entry: at,
    systemHeldBy: systemPart.heldBy,
    toolsHeldBy: toolsPart.heldBy,
    provider,
    model,
    system: systemPart.value,
    tools: toolsPart.value,
    parameters,
    provenance,
    features: featuresOfConfiguration(systemPart.value, toolsPart.value, options),
  };
}

interface HeldPart<Value> {
  readonly value: Value;
  readonly heldBy: number;
}

function resolve<Value>(
  at: number,
  held: Held<Value>,
  before: HeldPart<Value> | undefined,
): HeldPart<Value> | undefined {
  if ("value" in held) return { value: held.value, heldBy: at };
  return before?.heldBy === held.heldBy ? before : undefined;
}

function featuresOfConfiguration(
  system: string,
  tools: readonly ToolDefinition[],
  options: FeatureOptions | undefined,
): Features {
  return sumOfFeatures([{ kind: "text", text: system }, ...headTools(tools).map(definitionBlock)], options);
}

/** Returns a tool as a block, so that its tokens can be counted. */
export function definitionBlock(tool: ToolDefinition): Block {
  return { kind: "opaque", native: { provider: "", block: tool } };
}

/** Returns the file that a call reads or edits, by the names that most agents give to such tools and their input. */
export function fileOf({ name, input }: ToolCall): FileAccess | undefined {
  const access = READS.test(name) ? "read" : EDITS.test(name) ? "edit" : undefined;
  if (access === undefined || typeof input !== "object" || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  const path = fields["file_path"] ?? fields["filePath"] ?? fields["path"];
  return typeof path === "string" ? { path, access } : undefined;
}

/** How a call uses a file. */
export interface FileAccess {
  readonly path: string;
  readonly access: "read" | "edit";
}

const READS = /^(read|view|cat)/i;
const EDITS = /^(edit|write|multi_?edit|str_replace)/i;

/** Returns the texts of all attachments of some types, in order. */
export function attachedTexts({ items }: Pick<View, "items">, types: readonly string[]): readonly string[] {
  return items.flatMap((item) =>
    item.kind === "message" && item.attachment !== undefined && types.includes(item.attachment)
      ? item.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []))
      : [],
  );
}
