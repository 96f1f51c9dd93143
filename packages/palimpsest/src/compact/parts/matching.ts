// Texts of a pattern, such as order numbers, survive with the line in which they last occurred.

import type { Provenance } from "../../log/provenance.ts";
import type { Json, KeepPart, LoadedItem, LogMessage, Room } from "../../policy/policy.ts";
import { aList, aText, checkAllOptions, ifGiven, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { headOf } from "../../text.ts";
import { fitItems, recallEntry } from "./fit.ts";
import { problemOf } from "./safe-pattern.ts";

export interface MatchingOptions {
  /** @default "matching" and the source of the pattern */
  readonly name?: string;
  /** @default "Mentioned in this conversation:" */
  readonly heading?: string;
  /** @default 1,000 */
  readonly maxTokens?: number;
  /** The number of texts that are remembered. The most recently mentioned ones stay. @default 200 */
  readonly most?: number;
  /** Whose messages are searched. @default the user, the model and tools */
  readonly in?: readonly Provenance["kind"][];
}

/** The lines of one message that are searched. Messages come from outside. */
const MAX_LINES = 5_000;
/** A longer text is cut. */
const TEXT_CHARACTERS = 400;
/** The shown part of a line, and how much of that comes before the text. */
const SHOWN_CHARACTERS = 200;
const BEFORE_CHARACTERS = 80;

/** A text, its newest entry, its line, and where the line comes from. */
type Found = readonly [text: string, entry: number, line: string, provenance: Provenance];

/**
 * Keeps every text that matches: the user's first, then the most recent, and with its line as long as there is room. The pattern runs on
 * text from outside, so the function refuses a pattern that could take long, and says how to write the pattern.
 */
export function matching(pattern: RegExp, options: MatchingOptions = {}): KeepPart {
  const problem = problemOf(pattern);
  if (problem !== undefined) throw new TypeError(`matching(${String(pattern)}): ${problem}`);
  checkAllOptions("matching", options, {
    name: ifGiven(aText("a text")),
    heading: ifGiven(aText("a text")),
    maxTokens: MAYBE_A_COUNT,
    most: MAYBE_A_COUNT,
    in: ifGiven(aList('a list of "user", "model", "tool" and others')),
  });
  const { heading = "Mentioned in this conversation:", maxTokens = 1_000, most = 200 } = options;
  const kinds = options.in ?? ["user", "model", "tool"];
  const global = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
  return {
    name: options.name ?? `matching ${pattern.source}`,
    params: { pattern: String(pattern), heading, maxTokens, most, in: kinds },
    budget: { maxTokens, share: 0.05, minTokens: Math.min(200, maxTokens) },
    collect: {
      version: 1,
      empty: [],
      maxBytes: 1_000 + most * 2_000,
      add: (state, message) =>
        kinds.includes(message.provenance.kind) ? addMatches(state, message, global, most) : state,
    },
    plan: ({ collected }) =>
      usersFirst(collected as unknown as readonly Found[]).map(([text, entry, line, provenance]) => ({
        key: text,
        entry,
        from: { kind: "text", text: line.startsWith(text) ? line : `${text}: ${line}`, provenance },
      })),
    render: (items, room) => fitItems(withLinesFirst(items, room, heading), room, { heading, rest: recallEntry }),
  };
}

/** As many of the newest texts with their lines as fit beside all others without lines: a text counts more than a line. */
function withLinesFirst(items: readonly LoadedItem[], room: Room, heading: string): readonly LoadedItem[] {
  // A count of a short text is mostly the frame of a message, which the texts share.
  const frame = room.count("");
  const alone = items.map((item) => ({ ...item, text: item.key, tokens: room.count(`${item.key}\n`) - frame }));
  let tokens = alone.reduce((sum, item) => sum + item.tokens, room.count(`${heading}\n`));
  let lines = 0;
  for (const [index, { text }] of items.entries()) {
    tokens += room.count(`${text}\n`) - frame - alone[index]!.tokens;
    if (tokens > room.tokens) break;
    lines = index + 1;
  }
  return [...items.slice(0, lines), ...alone.slice(lines)];
}

function addMatches(state: Json, { text, entry, provenance }: LogMessage, pattern: RegExp, most: number): Json {
  let found: Map<string, Found> | undefined;
  for (const line of text.split("\n", MAX_LINES)) {
    for (const { 0: whole, index } of line.matchAll(pattern)) {
      const match = headOf(whole, TEXT_CHARACTERS);
      if (match === "") continue;
      found ??= new Map((state as unknown as readonly Found[]).map((one) => [one[0], one]));
      // What the user named stays the user's, whoever repeats the text.
      if (provenance.kind !== "user" && found.get(match)?.[3].kind === "user") continue;
      // A text that is mentioned again moves to the end.
      found.delete(match);
      found.set(match, [match, entry, around(line, index), provenance]);
    }
  }
  return found === undefined ? state : (newestOf([...found.values()], most) as unknown as Json);
}

/** Texts that tools returned are forgotten before texts that the user named. */
function newestOf(found: readonly Found[], most: number): readonly Found[] {
  if (found.length <= most) return found;
  const kept = new Set(usersFirst(found).slice(0, most));
  return found.filter((one) => kept.has(one));
}

/** The user's texts, then the others, the newest first. */
function usersFirst(found: readonly Found[]): readonly Found[] {
  const newest = found.toReversed();
  const isUsers = ([, , , { kind }]: Found): boolean => kind === "user";
  return [...newest.filter(isUsers), ...newest.filter((one) => !isUsers(one))];
}

/** The part of a line that is shown with a text at this place. */
function around(line: string, index: number): string {
  const start = line.length <= SHOWN_CHARACTERS ? 0 : Math.max(0, index - BEFORE_CHARACTERS);
  return headOf(line.slice(start), SHOWN_CHARACTERS).trim().toWellFormed();
}
