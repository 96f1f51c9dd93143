import type { Block, ToolCall } from "palimpsest";
import { factsOf, stringsIn, type UsedFact } from "./facts.ts";
import type { RecordedItem, Recording } from "./recording.ts";

/** Content that a response used and that had been shown before. */
export interface Need {
  /** The text to find: a fact, or a line of the text that an edit replaces. */
  readonly of: { readonly kind: "fact"; readonly fact: UsedFact } | { readonly kind: "line"; readonly line: string };
  /** The earlier items that show it, oldest first: the last shows where it was last seen. */
  readonly shownBy: readonly number[];
  /** The lines of these items that contain it, without numbers and indentation. */
  linesShown(): readonly string[];
}

/** Shorter lines occur in many places, so finding one proves nothing. */
const LEAST_LINE = 8;

/**
 * Returns the needs of each round's response. They are the same for every policy: a conversation that only grows meets all of
 * them.
 */
export function needsOf({ rounds, cwd }: Recording): readonly (readonly Need[])[] {
  const scope = { cwd };
  const shownBy = new Map<UsedFact, number[]>();
  const texts: string[] = [];
  const take = (item: RecordedItem): void => {
    texts[item.index] = textOf(item);
    for (const fact of factsOf(item.blocks, scope)) {
      const shown = shownBy.get(fact);
      if (shown === undefined) shownBy.set(fact, [item.index]);
      else shown.push(item.index);
    }
  };
  return rounds.map(({ arrivals, response }) => {
    for (const item of arrivals) take(item);
    const lines = new Set(response.blocks.flatMap((block) => replacedLine(block) ?? []));
    const needs: Need[] = [];
    for (const line of lines) {
      const shown = itemsWith(line, texts);
      if (shown.length > 0) needs.push({ of: { kind: "line", line }, shownBy: shown, linesShown: () => [line] });
    }
    for (const fact of factsOf(response.blocks, scope)) {
      // A copy: it goes on growing.
      const shown = shownBy.get(fact)?.slice();
      if (shown === undefined) continue;
      const linesShown = once(() =>
        linesWith(
          fact,
          shown.map((item) => texts[item]!),
        ),
      );
      needs.push({ of: { kind: "fact", fact }, shownBy: shown, linesShown });
    }
    take(response);
    return needs;
  });
}

/** The longest line that an edit replaces: the author of the edit must see it. */
function replacedLine(block: Block): string | undefined {
  if (block.kind !== "tool_call") return undefined;
  const lines = replacedText(block)
    .split("\n")
    .map((line) => line.trim());
  const longest = lines.reduce((long, line) => (line.length > long.length ? line : long), "");
  return longest.length < LEAST_LINE ? undefined : longest;
}

function replacedText({ input }: ToolCall): string {
  const fields = input as Readonly<Record<string, unknown>>;
  const replaced = fields["old_string"] ?? fields["oldText"];
  if (typeof replaced === "string") return replaced;
  const patch = stringsIn(input).find((text) => text.includes("*** Begin Patch"));
  if (patch === undefined) return "";
  return patch
    .split("\n")
    .filter((line) => line.startsWith("-") && !line.startsWith("---"))
    .map((line) => line.slice(1))
    .join("\n");
}

function itemsWith(line: string, texts: readonly string[]): number[] {
  return texts.flatMap((text, index) => (text.includes(line) ? [index] : []));
}

/** Most needs are met by an item, and nobody asks for their lines. */
function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

function linesWith(fact: UsedFact, texts: readonly string[]): readonly string[] {
  const value = fact.slice(fact.indexOf(" ") + 1);
  const lines = new Set(
    texts.flatMap((text) =>
      text
        .split("\n")
        .map(plainLine)
        .filter((line) => line.includes(value)),
    ),
  );
  // A command is compared without its redirections: its line may not contain it as it is.
  return lines.size === 0 ? [value] : [...lines];
}

/** A line without the number that a tool put before it, and with single spaces. */
export function plainLine(line: string): string {
  return line
    .replace(/^\s*\d{1,7}[\u2192\t]/, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** All words of an item, as they were written. */
export function textOf({ blocks }: Pick<RecordedItem, "blocks">): string {
  return blocks.flatMap(wordsOf).join("\n");
}

function wordsOf(block: Block): string[] {
  if (block.kind === "text") return [block.text];
  if (block.kind === "tool_call") return stringsIn(block.input);
  return block.kind === "tool_result" && typeof block.content === "string" ? [block.content] : [];
}
