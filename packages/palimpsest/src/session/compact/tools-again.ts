import type { Text, ToolCall } from "../../log/block.ts";
import type { Replacement } from "../../log/payload.ts";
import { SUMMARY } from "../../log/provenance.ts";
import { TOOL_SEARCH } from "../../log/tool-definition.ts";
import type { MessageItem } from "../../view/item.ts";
import { describeTool } from "../../view/offer-tools.ts";
import { loadedTools } from "../../view/tool-search.ts";

/** Definitions that are brought in again may take so much; those that do not fit can be searched for again. */
const MOST_TOKENS = 10_000;

/**
 * The deferred tools that compacted messages had brought in, as texts that bring them in again. Tools that were called come
 * first, the newest call first.
 */
export function toolsAgain(compacted: readonly MessageItem[], countTokens: (text: string) => number): readonly Text[] {
  const loaded = loadedTools(compacted);
  if (loaded.size === 0) return [];
  const called = compacted.flatMap(({ blocks }) =>
    blocks.filter((block): block is ToolCall => block.kind === "tool_call"),
  );
  const names = new Set([...called.map(({ name }) => name).reverse(), ...loaded.keys()]);
  let room = MOST_TOKENS;
  return [...names].flatMap((name): Text[] => {
    const tool = loaded.get(name);
    if (tool === undefined) return [];
    const text = describeTool(tool);
    const tokens = countTokens(text);
    if (tokens > room) return [];
    room -= tokens;
    return [{ kind: "text", text, tool }];
  });
}

/** The same as a search and its result, the form in which every provider takes tools. */
export function asSearch(tools: readonly Text[], boundary: number): readonly Replacement[] {
  if (tools.length === 0) return [];
  const id = `tools-${boundary}`;
  const input = { names: tools.flatMap(({ tool }) => (tool === undefined ? [] : [tool.name])) };
  return [
    {
      role: "assistant",
      origin: "summary",
      provenance: SUMMARY,
      blocks: [{ kind: "tool_call", id, name: TOOL_SEARCH, input }],
    },
    {
      role: "user",
      origin: "summary",
      provenance: SUMMARY,
      blocks: [{ kind: "tool_result", callId: id, content: tools, status: "ok" }],
    },
  ];
}
