import type { Block, Native, Part, Text, ToolCall, ToolResult } from "../log/block.ts";
import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type {
  AttachmentPayload,
  ConfigurationPayload,
  Held,
  MessagePayload,
  Replacement,
  RequestPayload,
  ToolDefinition,
} from "../log/payload.ts";
import type { FeatureOptions, Features } from "../size/features.ts";
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

/** Returns the items of an entry before any decision about it; undefined if the entry is not for the model. */
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

export function messageItem(
  at: number,
  { role, blocks, origin, provenance, responseId, answers, provider, stored, stop }: MessagePayload,
  options?: FeatureOptions,
): MessageItem {
  const known = {
    ...(provenance === undefined ? {} : { provenance }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(answers === undefined ? {} : { answers }),
    ...(provider === undefined ? {} : { provider }),
    ...(stored === undefined ? {} : { stored }),
    ...(stop === undefined ? {} : { stop }),
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

export function sealItem(
  at: number,
  { maxTokens, previousResponseId, cacheTtl, headTtl, cache }: RequestPayload,
): Seal {
  const compared = previousResponseId === undefined ? {} : { previousResponseId };
  const asked = {
    ...(cacheTtl === undefined ? {} : { cacheTtl }),
    ...(headTtl === undefined ? {} : { headTtl }),
    ...(cache?.edits === undefined ? {} : { edits: cache.edits }),
    ...(cache?.deleted === undefined ? {} : { deleted: cache.deleted }),
  };
  return { kind: "seal", from: at, to: at, maxTokens, ...compared, ...asked };
}

export function replacementItems(
  { from, to, by }: Pick<MessageItem, "from" | "to"> & { readonly by: number },
  replacements: readonly Replacement[],
  options?: FeatureOptions,
): MessageItem[] {
  return replacements.map((replacement) => toItem({ from, to, by, ...replacement }, options));
}

interface CleanRules {
  /** The provider whose own blocks can be sent unchanged. */
  readonly provider: string;
  readonly thinking: "send" | "leave-out";
}

/**
 * Returns a block in a form that this provider accepts, or undefined if no part of it can be sent. The caller handles blank
 * text.
 */
export function cleanBlock(block: Block, rules: CleanRules): Block | undefined {
  switch (block.kind) {
    case "text":
    case "image":
    case "document":
    case "opaque":
      return cleanPart(block, rules.provider);
    case "thinking":
      return rules.thinking === "send" && block.provider === rules.provider ? block : undefined;
    case "tool_call":
      return withNative({ ...block, input: wellFormed(block.input) }, block.native, rules.provider);
    case "tool_result":
      return cleanResult(block, rules.provider);
  }
}

function cleanResult(result: ToolResult, provider: string): ToolResult {
  const parts: readonly Part[] =
    typeof result.content === "string" ? [{ kind: "text", text: result.content }] : result.content;
  return { ...result, content: parts.map((part) => cleanPart(part, provider)).filter((part) => part !== undefined) };
}

function cleanPart(part: Part, provider: string): Part | undefined {
  if (part.kind === "opaque") return part.native.provider === provider ? part : undefined;
  if (part.kind !== "text") return withNative(part, part.native, provider);
  if (part.text === "") return undefined;
  const text: Text = { ...part, text: part.text.toWellFormed() };
  return withNative(text, part.native, provider);
}

function withNative<Kind extends { readonly native?: Native }>(
  block: Kind,
  native: Native | undefined,
  provider: string,
): Kind {
  if (native === undefined || native.provider === provider) return block;
  const { native: _, ...ours } = block;
  return ours as Kind;
}

/** Makes every string in a JSON value well-formed: providers refuse lone surrogates anywhere. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}

/** Reads unchanged parts from an earlier entry; undefined if that entry is not the one in effect. */
export function resolveConfiguration(
  at: number,
  { provider, model, system, tools, parameters, provenance }: ConfigurationPayload,
  before: Configuration | undefined,
  options?: FeatureOptions,
): Configuration | undefined {
  const heldSystem = resolve(at, system, before && { value: before.system, heldBy: before.systemHeldBy });
  const heldTools = resolve(at, tools, before && { value: before.tools, heldBy: before.toolsHeldBy });
  if (heldSystem === undefined || heldTools === undefined) return undefined;
  return {
    entry: at,
    systemHeldBy: heldSystem.heldBy,
    toolsHeldBy: heldTools.heldBy,
    provider,
    model,
    system: heldSystem.value,
    tools: heldTools.value,
    parameters,
    ...(provenance === undefined ? {} : { provenance }),
    features: featuresOfConfiguration(heldSystem.value, heldTools.value, options),
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

/** Represents a tool as content, so that its tokens can be counted. */
export function definitionBlock(tool: ToolDefinition): Block {
  return { kind: "opaque", native: { provider: "", block: tool } };
}

/** The characters that every provider accepts in the id of a call or the name of a tool. */
const SAFE_ID_LENGTH = 40;
const SAFE_NAME_LENGTH = 128;

/**
 * Returns the id under which a call is sent: its own, or a safe one if providers refuse its characters or if it was used before
 * (some local servers repeat ids). The entry's number makes the new id unique and repeatable.
 */
export function safeCallId(id: string, entry: number, isUsed: (id: string) => boolean): string {
  const safe = isSafe(id, SAFE_ID_LENGTH) ? id : `call_${entry}`;
  if (!isUsed(safe)) return safe;
  for (let count = 1; ; count++) {
    const candidate = `call_${entry}_${count}`;
    if (!isUsed(candidate)) return candidate;
  }
}

/** The name under which a call is sent. */
export function safeToolName(name: string): string {
  if (isSafe(name, SAFE_NAME_LENGTH)) return name;
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, SAFE_NAME_LENGTH);
  return safe === "" ? "unnamed" : safe;
}

function isSafe(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(text);
}

/** How a call uses a file. */
export interface FileAccess {
  readonly path: string;
  readonly access: "read" | "edit";
}

const READS = /^(read|view|cat)/i;
const EDITS = /^(edit|write|multi_?edit|str_replace)/i;

/** Returns the file that a call reads or edits, by the names that most agents give to such tools and their input. */
export function fileOf({ name, input }: ToolCall): FileAccess | undefined {
  const access = READS.test(name) ? "read" : EDITS.test(name) ? "edit" : undefined;
  if (access === undefined || typeof input !== "object" || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  const path = fields["file_path"] ?? fields["filePath"] ?? fields["path"];
  return typeof path === "string" ? { path, access } : undefined;
}

/** Returns the texts of the host's attachments of one type, as the model sees them, in order. */
export function attachedTexts({ items }: Pick<View, "items">, type: string): readonly string[] {
  return items.flatMap((item) =>
    item.kind === "message" && item.attachment === type
      ? item.blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []))
      : [],
  );
}
