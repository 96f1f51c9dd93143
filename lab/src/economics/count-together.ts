import type { Need, Recording } from "@palimpsest/observe/replay";
import type { Block, ToolCall } from "palimpsest";

/** Rounds of a recording, and how many of them one request less would have needed. */
export interface TogetherCounts {
  readonly readRounds: number;
  /** Rounds whose calls could have stood in the response before. */
  readonly savedRounds: number;
}

const READING = /^(read|view|grep|glob|ls|find|webfetch|websearch|web_search)/i;
const COMMANDS = /^(bash|shell|exec_command|powershell)$/i;
/** Commands that only look. A pipe into another of them is one of them; anything that may write is not. */
const LOOKS =
  /^(cat|ls|rg|grep|head|tail|find|wc|pwd|tree|stat|nl|sed -n|git (log|show|diff|status|blame|grep|ls-files))\b/;
const WRITES = /[>`]|\$\(|-delete|-exec\b|\btee\b|\bxargs\b|-i\b/;

/**
 * Counts rounds that only read, follow a round that only reads, and name nothing that its results brought in: the model could have
 * asked for both in one request. A bound: a call may depend on a result in ways that leave no trace in its words.
 */
export function countTogether({ rounds }: Recording, needs: readonly (readonly Need[])[]): TogetherCounts {
  let [readRounds, savedRounds] = [0, 0];
  let wasReading = false;
  /** The first item that the newest group of calls could not have seen. */
  let unseenFrom = 0;
  for (const [index, { arrivals, response }] of rounds.entries()) {
    const calls = response.blocks.filter((block) => block.kind === "tool_call");
    const isReading = calls.length > 0 && calls.every(isRead) && !response.blocks.some(isLongText);
    const isAlone = arrivals.every(({ origin }) => origin === "tool");
    const isIndependent = needs[index]!.every(({ shownBy }) => shownBy[0]! < unseenFrom);
    if (isReading) readRounds++;
    if (isReading && wasReading && isAlone && isIndependent) savedRounds++;
    else unseenFrom = response.index;
    wasReading = isReading;
  }
  return { readRounds, savedRounds };
}

function isRead({ name, input }: ToolCall): boolean {
  if (READING.test(name)) return true;
  if (!COMMANDS.test(name)) return false;
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const given = fields["command"] ?? fields["cmd"];
  const command = Array.isArray(given) ? String(given.at(-1)) : typeof given === "string" ? given : "";
  if (command === "" || WRITES.test(command)) return false;
  return command.split(/&&|\|\||[|;]/).every((part) => LOOKS.test(part.trim()) || /^cd\s/.test(part.trim()));
}

/** Words of this length are conclusions from what was seen, and belong behind it. */
const LONG_TEXT = 400;

function isLongText(block: Block): boolean {
  return block.kind === "text" && block.text.length > LONG_TEXT;
}
