import type { Block, Native, Part, Text, ToolResult } from "../log/block.ts";

export interface CleanRules {
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
