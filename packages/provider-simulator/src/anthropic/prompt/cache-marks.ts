import type { Block, CacheControl, Tool } from "../request.ts";

export type Lifetime = "5m" | "1h";

/** The lifetime a block asks for. A mark inside a tool result stands for the result as a whole. */
export function lifetimeOf(block: Block | Tool): Lifetime | undefined {
  if (block.cache_control) return lifetime(block.cache_control);
  const inner = markedParts(block).at(-1);
  return inner && lifetime(inner.part.cache_control!);
}

export function lifetime(control: CacheControl): Lifetime {
  return control.ttl ?? "5m";
}

/** The parts of a tool result that carry a mark of their own, and where they stand in it. */
export function markedParts(result: Block | Tool): readonly { part: Block; position: number }[] {
  const content = result["content"];
  if (result.type !== "tool_result" || !Array.isArray(content)) return [];
  return (content as Block[]).flatMap((part, position) => (part.cache_control ? [{ part, position }] : []));
}
