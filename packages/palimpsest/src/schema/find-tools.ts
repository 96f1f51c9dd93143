import type { ToolDefinition } from "../log/payload.ts";
import { lazyPattern } from "../log/search-text.ts";

/** Finds deferred tools by name, and by words in their names, descriptions and inputs; the best matches come first. */
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
  const room = Math.max(0, MAX_FOUND - byName.length);
  return [...byName, ...scored.slice(0, room).map(({ tool }) => tool)];
}

/** The names and words to search for. */
export interface ToolsWanted {
  readonly names?: readonly string[];
  /** Words to search for in names and descriptions. */
  readonly query?: string;
}

/** The maximum number of tools that a search for words returns. More tools would cost what deferring saves. */
const MAX_FOUND = 5;

/** Scores a tool: a word in the name counts most, a word in the description less, and the name of an input least. */
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
