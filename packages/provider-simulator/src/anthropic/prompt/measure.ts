import { type Digest, digestText } from "../../digest.ts";
import { rememberFrozen } from "../../remember-frozen.ts";
import type { Tokenizer } from "../../tokenizer.ts";
import { type Block, isSummary, isThinking, type Tool } from "../request.ts";
import { type Lifetime, lifetimeOf } from "./cache-marks.ts";

/** The measures of one block; a block that cannot change is read only once. */
export interface Measure {
  /** Without cache marks. */
  readonly digest: Digest;
  readonly tokens: number;
  readonly images: "some" | "none";
  readonly citations: "on" | "off";
  readonly kind: "thinking" | "summary" | "call" | "result" | "other";
  /** The cache mark it carries. */
  readonly mark: Lifetime | undefined;
}

export interface Measures {
  block(block: Block): Measure;
  tool(tool: Tool): Measure;
}

export function createMeasures(tokenizer: Tokenizer): Measures {
  return {
    block: rememberFrozen((block: Block) => measured(block, contentTokens(block, tokenizer) + tokenizer.blockTokens)),
    tool: rememberFrozen((tool: Tool) => {
      const { cache_control: _, ...definition } = tool;
      return measured(tool, tokenizer.countText(JSON.stringify(definition)) + tokenizer.toolTokens);
    }),
  };
}

function measured(block: Block | Tool, tokens: number): Measure {
  return {
    digest: digestText(canonical(block)),
    tokens,
    images: hasImage(block) ? "some" : "none",
    citations: (block["citations"] as { enabled?: boolean } | null | undefined)?.enabled === true ? "on" : "off",
    kind: kindOf(block as Block),
    mark: lifetimeOf(block),
  };
}

function kindOf(block: Block): Measure["kind"] {
  if (isThinking(block)) return "thinking";
  if (isSummary(block)) return "summary";
  if (block.type === "tool_use") return "call";
  return block.type === "tool_result" ? "result" : "other";
}

/**
 * The block as it is rendered into the prompt: field order and absent-or-default make no difference, cache marks are
 * not part of it, and a plain string stands for one text block. The order inside tool inputs does count: it is
 * rendered (the provider's guide warns of languages that shuffle keys).
 */
function canonical(block: Block | Tool): string {
  if (block.type === "text" && block["citations"] == null) return `text:${block["text"]}`;
  let text = "";
  for (const field of Object.keys(block).sort()) {
    const value = block[field];
    if (isDefault(field, value)) continue;
    text += `${field}=${block.type === "tool_result" && field === "content" ? canonicalContent(value) : JSON.stringify(value)};`;
  }
  return text;
}

/** Answers spell these out; clients that build the block anew leave them off, and nothing changes for the model. */
function isDefault(field: string, value: unknown): boolean {
  if (value === null || value === undefined || field === "cache_control") return true;
  if (field === "is_error") return value === false;
  return field === "caller" && (value as { type?: unknown }).type === "direct";
}

function canonicalContent(content: unknown): string {
  const parts = typeof content === "string" ? [`text:${content}`] : (content as Block[]).map(canonical);
  return content === "" ? "[]" : JSON.stringify(parts);
}

function hasImage(block: Block | Tool): boolean {
  if (block.type === "image") return true;
  if (block.type !== "tool_result" || !Array.isArray(block["content"])) return false;
  return (block["content"] as Block[]).some(hasImage);
}

function contentTokens(block: Block, tokenizer: Tokenizer): number {
  if (isThinking(block)) {
    const sealed = (block["signature"] ?? block["data"]) as string;
    return Math.ceil(sealed.length * tokenizer.signatureTokensPerCharacter);
  }
  switch (block.type) {
    case "text":
      return tokenizer.countText(block["text"] as string);
    case "tool_use":
      return tokenizer.countText(`${block["name"]}${JSON.stringify(block["input"])}`);
    case "tool_result":
      return resultTokens(block["content"], tokenizer);
    case "image":
      return tokenizer.imageTokens;
    case "document":
      return documentTokens(block["source"], tokenizer);
    case "compaction":
      return tokenizer.countText((block["content"] as string | null | undefined) ?? "");
    default: {
      const { cache_control: _, ...rest } = block;
      return tokenizer.countText(JSON.stringify(rest));
    }
  }
}

function resultTokens(content: unknown, tokenizer: Tokenizer): number {
  if (typeof content === "string") return tokenizer.countText(content);
  if (!Array.isArray(content)) return 0;
  return (content as Block[]).reduce((sum, part) => sum + contentTokens(part, tokenizer), 0);
}

function documentTokens(source: unknown, tokenizer: Tokenizer): number {
  const { type, data } = source as { type?: string; data?: unknown };
  return type === "text" && typeof data === "string" ? tokenizer.countText(data) : tokenizer.documentTokens;
}
