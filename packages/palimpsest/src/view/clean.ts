// Makes blocks, call ids and tool names acceptable to a provider.

import type { Block, Native, Part, Text, ToolResult } from "../log/block.ts";

/**
 * Returns a block in a form that the provider accepts, or undefined if no part of the block can be sent. The caller handles blank
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

interface CleanRules {
  /** The provider whose own blocks can be sent unchanged. */
  readonly provider: string;
  readonly thinking: "send" | "leave-out";
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

/** Keeps the native form for its own provider only. */
function withNative<Kind extends { readonly native?: Native }>(
  block: Kind,
  native: Native | undefined,
  provider: string,
): Kind {
  if (native === undefined || native.provider === provider) return block;
  const { native: _, ...ours } = block;
  return ours as Kind;
}

/** Makes every string in a JSON value well-formed, because providers refuse lone surrogates. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}

/**
 * Returns the id under which a call is sent: its own id, or a safe id if providers refuse its characters or an earlier call had the
 * same id, as with some local servers. The safe id contains the entry's number, so it is unique and always the same.
 */
export function safeCallId(id: string, entry: number, isUsed: (id: string) => boolean): string {
  const safe = isSafe(id, SAFE_ID_LENGTH) ? id : `call_${entry}`;
  if (!isUsed(safe)) return safe;
  for (let count = 1; ; count++) {
    const candidate = `call_${entry}_${count}`;
    if (!isUsed(candidate)) return candidate;
  }
}

/** Returns the name under which a call is sent. */
export function safeToolName(name: string): string {
  if (isSafe(name, SAFE_NAME_LENGTH)) return name;
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, SAFE_NAME_LENGTH);
  return safe === "" ? "unnamed" : safe;
}

function isSafe(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(text);
}

/** The lengths that every provider accepts. */
const SAFE_ID_LENGTH = 40;
const SAFE_NAME_LENGTH = 128;
