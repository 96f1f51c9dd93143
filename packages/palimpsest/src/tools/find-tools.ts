import { lazyPattern } from "../log/lazy-pattern.ts";
import type { ToolDefinition } from "../log/payload.ts";

/** What a search asks for. */
export interface ToolsWanted {
  readonly names?: readonly string[];
  /** Words to search for in names and descriptions. */
  readonly query?: string;
}

/** The most tools that words bring in: more would cost what deferring saves. */
const MOST_FOUND = 5;

/** Finds tools by their names, and by words: those that match best come first. */
export function findTools(
  tools: readonly ToolDefinition[],
  { names = [], query = "" }: ToolsWanted,
): readonly ToolDefinition[] {
  const named = new Set(names.map((name) => name.trim().toLowerCase()));
  const words = wordsIn(query);
  // A model may write a name where words are expected.
  for (const { name } of tools) if (words.includes(name.toLowerCase())) named.add(name.toLowerCase());
  const byName = tools.filter(({ name }) => named.has(name.toLowerCase()));
  const parts = words.flatMap((word) => word.split(/[_-]/)).filter((word) => word.length > 1);
  const scored = tools
    .filter((tool) => !byName.includes(tool))
    .map((tool) => ({ tool, score: scoreOf(tool, parts) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  const room = Math.max(0, MOST_FOUND - byName.length);
  return [...byName, ...scored.slice(0, room).map(({ tool }) => tool)];
}

/** A word in the name says most about a tool, one in its description less, and one among its inputs least. */
function scoreOf({ name, description = "", inputSchema }: ToolDefinition, words: readonly string[]): number {
  const inName = new Set(wordsIn(name).flatMap((word) => word.split(/[_-]/)));
  const inDescription = new Set(wordsIn(description));
  const inputs = new Set(wordsIn(Object.keys(inputSchema["properties"] ?? {}).join(" ")));
  return words.reduce((score, word) => {
    if (inName.has(word)) return score + 4;
    if (name.toLowerCase().includes(word)) return score + 3;
    if (inDescription.has(word)) return score + 2;
    return inputs.has(word) ? score + 1 : score;
  }, 0);
}

const wordPattern = lazyPattern(String.raw`[\p{L}\p{N}_-]+`, "gu");

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(wordPattern()) ?? [];
}
