// What survives every compaction, under every policy. A policy that names one of these parts can only give it more room.

import { HOST, OUTSIDE, SUMMARY, USER } from "../../log/provenance.ts";
import type { KeepPart, LoadedItem, Material, PartText, PlannedItem, Room, UserMessage } from "../../policy/policy.ts";
import { A_COUNT, checkAllOptions, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { type AgentInFlight, agentsText } from "../../state/carried.ts";
import { headOf, shortenText, tailOf } from "../../text.ts";
import { isCorrection } from "../evidence/find.ts";
import { fitItems, recallEntry } from "./fit.ts";
import type { EngineMaterial } from "./knowledge.ts";

interface Numbers {
  readonly maxTokens?: number;
}

/** Sentences in which the user corrected, forbade or insisted on something, newest first, unless they are shown elsewhere. */
export function rules(numbers: Numbers = {}): KeepPart {
  const { maxTokens = 2_000 } = checked("rules", numbers);
  return {
    name: "rules",
    params: { maxTokens },
    budget: { maxTokens, share: 0.03, minTokens: Math.min(300, maxTokens) },
    rendered: "last",
    plan: ({ evidence }: EngineMaterial) =>
      evidence.rules
        .filter(({ ofModel }) => ofModel === undefined)
        .toReversed()
        .map(({ text, entry }) => ({
          key: `${entry}`,
          entry,
          from: { kind: "text", text: `- "${text}" #${entry}`, provenance: USER },
          data: text,
        })),
    render(items, room) {
      const missing = items.filter(({ data }) => !room.shown.includes(data as string));
      return fitItems(missing, room, {
        heading: "What the user insists on, newest first (#N: entry N):",
        rest: recallEntry,
      });
    },
  };
}

function checked(part: string, numbers: Numbers): Numbers {
  checkAllOptions(part, numbers, { maxTokens: MAYBE_A_COUNT });
  return numbers;
}

/** Pinned texts, byte for byte. The engine limits them when they are pinned: all together to a tenth of the window. */
export function pins(numbers: Numbers = {}): KeepPart {
  const { maxTokens = 200_000 } = checked("pins", numbers);
  return {
    name: "pins",
    params: { maxTokens },
    budget: { maxTokens, share: 0, minTokens: maxTokens },
    plan: ({ pins: pinned }: EngineMaterial) =>
      pinned.map(({ entry, text, of, provenance = of === undefined ? HOST : OUTSIDE }) => ({
        key: `${entry}`,
        entry,
        from: { kind: "text", text, provenance },
      })),
    render: (items, room) => pinTexts(items, room),
  };
}

function pinTexts(items: readonly LoadedItem[], room: Room): readonly PartText[] {
  const headings = items.map(({ entry }) => `Pinned, to be kept in mind at all times (entry ${entry}):`);
  const headingTokens = headings.reduce((sum, heading) => sum + room.count(`${heading}\n`), 0);
  let left = room.tokens - headingTokens;
  return items.map((item, index) => {
    const each = item.tokens <= left ? item.tokens : Math.floor(left / (items.length - index));
    const text =
      each === item.tokens ? item.text : (room.cut(item.text, each, recallEntry(item)) ?? `[${recallEntry(item)}]`);
    left -= room.count(text);
    return { heading: headings[index]!, text, provenance: item.provenance };
  });
}

/** Agents that the session has started. */
export function agents(numbers: Numbers = {}): KeepPart {
  const { maxTokens = 20_000 } = checked("agents", numbers);
  return {
    name: "agents",
    params: { maxTokens },
    budget: { maxTokens, share: 0.01, minTokens: Math.min(1_000, maxTokens) },
    plan({ agents: started }: EngineMaterial) {
      if (started.length === 0) return [];
      const text = agentsText(started, { budgetTokens: Number.POSITIVE_INFINITY, countTokens: () => 0 });
      return [{ key: "agents", from: { kind: "text", text, provenance: SUMMARY }, data: started }];
    },
    render([item], room) {
      const heading = "Agents that you have started; do not start them again:";
      const budgetTokens = room.tokens - room.count(`${heading}\n`);
      const text = agentsText(item!.data as readonly AgentInFlight[], { budgetTokens, countTokens: room.count });
      return [{ heading, text, provenance: SUMMARY }];
    },
  };
}

/** The todo list of the host. */
export function todos(numbers: Numbers = {}): KeepPart {
  const { maxTokens = 20_000 } = checked("todos", numbers);
  return {
    name: "todos",
    params: { maxTokens },
    budget: { maxTokens, share: 0.01, minTokens: Math.min(1_000, maxTokens) },
    plan: (_: Material) => [{ key: "todos", from: { kind: "host", name: "todos", provenance: SUMMARY } }],
    render([item], room) {
      const heading = "Open todos, as they stood:";
      const text = bothEnds(item!.text, room.tokens - room.count(`${heading}\n`), room.count);
      return [{ heading, text, provenance: item!.provenance }];
    },
  };
}

/** As much of the beginning and the end of a text as fits. Empty if that would say too little. */
export function bothEnds(text: string, mostTokens: number, count: (text: string) => number, of = ""): string {
  const tokens = count(text);
  if (tokens <= mostTokens) return text;
  const leftOut = (left: number): string => `[left out: ${left} characters${of}]`;
  let characters = Math.floor((text.length * mostTokens) / tokens);
  for (; characters > LEAST_CHARACTERS; characters = Math.floor(characters * 0.7)) {
    const part = shortenText(text, characters, leftOut);
    if (count(part) <= mostTokens) return part;
  }
  return "";
}

const LEAST_CHARACTERS = 200;

/** In the order in which their texts stand in the message. */
const FLOOR: readonly KeepPart[] = [task(), rules(), pins(), agents(), todos()];

/**
 * The parts of a policy with the floor: parts of the floor that the policy does not name come first. A part with the name of one of
 * the floor gives that one its place and its room, if that is more; what it plans and renders stays the engine's.
 */
export function withFloor(keep: readonly KeepPart[]): readonly KeepPart[] {
  const named = new Set(keep.map(({ name }) => name));
  return [...FLOOR.filter(({ name }) => !named.has(name)), ...keep.map(widened)];
}

export function isFloor({ name }: KeepPart): boolean {
  return FLOOR.some((part) => part.name === name);
}

function widened(own: KeepPart): KeepPart {
  const part = FLOOR.find(({ name }) => name === own.name);
  if (part === undefined) return own;
  const { maxTokens, share, minTokens = 0 } = part.budget;
  const wider = (least: number, wanted: number | undefined): number =>
    wanted !== undefined && Number.isFinite(wanted) ? Math.max(least, wanted) : least;
  return {
    ...part,
    params: own.params ?? null,
    budget: {
      maxTokens: wider(maxTokens, own.budget.maxTokens),
      share: wider(share, own.budget.share),
      minTokens: wider(minTokens, own.budget.minTokens),
    },
  };
}

// ------------------------------------------------------------------------------------------------ the user's words

/** The first message of the user and the newest one, word for word. Both are cut in the middle if the room is too small. */
export function task(numbers: { readonly maxTokens?: number } = {}): KeepPart {
  checkAllOptions("task", numbers, { maxTokens: MAYBE_A_COUNT });
  const { maxTokens = 8_000 } = numbers;
  return {
    name: "task",
    params: { maxTokens },
    budget: { maxTokens, share: 0.15, minTokens: Math.min(600, maxTokens) },
    plan: ({ userMessages: all }) => toItems(endsOf(all)),
    render: (items, room) => textOf("What the user has said, word for word:", items, room, "always"),
  };
}

interface UserMessagesNumbers {
  readonly maxTokens: number;
  /** @default 0.1 */
  readonly share?: number;
}

/** The other messages of the user, word for word: corrections first, then the newest. */
export function userMessages(numbers: UserMessagesNumbers): KeepPart {
  checkAllOptions("userMessages", numbers, { maxTokens: A_COUNT, share: MAYBE_A_COUNT });
  const { maxTokens, share = 0.1 } = numbers;
  return {
    name: "userMessages",
    params: { maxTokens, share },
    budget: { maxTokens, share },
    plan: ({ userMessages: all }) => toItems(all.slice(1, -1)),
    render: (items, room) => textOf("What the user has said in between, word for word:", items, room, "chosen"),
  };
}

function toItems(messages: readonly UserMessage[]): readonly PlannedItem[] {
  return messages.map(({ entry, text }) => ({
    key: `${entry}`,
    entry,
    from: { kind: "text", text, provenance: USER },
  }));
}

function textOf(
  heading: string,
  items: readonly LoadedItem[],
  room: Room,
  ends: "always" | "chosen",
): readonly PartText[] {
  const messages = items.map(({ entry = 0, text }) => ({ entry, text }));
  const budgetTokens = room.tokens - room.count(`${heading}\n`);
  const text = userMessagesText(messages, { budgetTokens, ends, countTokens: room.count });
  return [{ heading, text, provenance: USER }];
}

// ------------------------------------------------------------------------------------------------ which messages are shown, and where they are cut

interface UserMessagesOptions {
  /** The size limit of the text, unless the first and the newest message need more. */
  readonly budgetTokens: number;
  /**
   * The limit for the first and the newest message if the budget would leave only fragments. To be complete, they may use half
   * of the amount beyond the budget. @default budgetTokens
   */
  readonly mostTokens?: number;
  /** `chosen`: the first and the newest message have no precedence. @default "always" */
  readonly ends?: "always" | "chosen";
  readonly countTokens: (text: string) => number;
}

/** The beginning of a cut message gets more: it holds the request. */
const HEAD_SHARE = 0.6;
/** A task or a question up to this length is never cut. */
const UNCUT_CHARACTERS = 800;

/**
 * Renders the user's messages verbatim, each once and in order. The first (the task) and the newest are always included, cut in
 * the middle if necessary; among the others corrections come first, then the newest. Omitted messages are listed by number.
 * Empty if the budget has no room.
 */
export function userMessagesText(
  messages: readonly UserMessage[],
  { budgetTokens, mostTokens = budgetTokens, ends: precedence = "always", countTokens }: UserMessagesOptions,
): string {
  const fitsIn = (tokens: number) => (texts: ReadonlyMap<UserMessage, string>) =>
    countTokens(render(messages, texts)) <= tokens;
  const fits = fitsIn(budgetTokens);
  const all = new Map(messages.map((message) => [message, message.text]));
  if (fits(all)) return render(messages, all);
  const ends = precedence === "always" ? endsOf(messages) : [];
  const chosen = new Map(ends.map((message) => [message, message.text]));
  if (!fits(chosen)) {
    // Prefers complete messages, for half of the rest of the budget, to cut ones.
    if (fitsIn((budgetTokens + mostTokens) / 2)(chosen)) return render(messages, chosen);
    const cut = cutEnds(ends, fits);
    const least = cut.characters < UNCUT_CHARACTERS ? cutEnds(ends, fitsIn(mostTokens), UNCUT_CHARACTERS) : cut;
    const { texts = cut.texts } = least;
    return texts === undefined ? "" : render(messages, texts);
  }
  const others = messages.filter((message) => !chosen.has(message)).toReversed();
  const { true: corrections = [], false: rest = [] } = Object.groupBy(others, ({ text }) => `${isCorrection(text)}`);
  let leftTokens = budgetTokens - countTokens(render(messages, chosen));
  for (const message of [...corrections, ...rest]) {
    const tokens = countTokens(numbered(message, message.text));
    if (tokens > leftTokens) continue;
    chosen.set(message, message.text);
    leftTokens -= tokens;
  }
  // Counted one by one, they may have fewer tokens than together.
  for (const message of [...chosen.keys()].slice(ends.length).toReversed()) {
    if (fits(chosen)) break;
    chosen.delete(message);
  }
  return render(messages, chosen);
}

/** The minimum, unless the window itself is too small: the first and the newest message, complete if they are short. */
export function shortestUserMessagesText(messages: readonly UserMessage[]): string {
  return render(messages, new Map(endsOf(messages).map((message) => [message, cutMiddle(message, UNCUT_CHARACTERS)])));
}

function numbered({ entry }: UserMessage, text: string): string {
  return `[${entry}] ${text}`;
}

function endsOf(messages: readonly UserMessage[]): UserMessage[] {
  const [first, newest] = [messages[0], messages.at(-1)];
  return first === undefined || newest === undefined ? [] : first === newest ? [first] : [first, newest];
}

/** As much of both as fits: a short message leaves its space to the other. */
function cutEnds(
  ends: readonly UserMessage[],
  fits: (texts: ReadonlyMap<UserMessage, string>) => boolean,
  mostCharacters = Number.POSITIVE_INFINITY,
): { readonly characters: number; readonly texts?: ReadonlyMap<UserMessage, string> } {
  const longest = Math.min(mostCharacters, Math.max(...ends.map(({ text }) => text.length)));
  const cutTo = (characters: number): ReadonlyMap<UserMessage, string> =>
    new Map(ends.map((message) => [message, cutMiddle(message, characters)]));
  let best: ReadonlyMap<UserMessage, string> | undefined;
  let [least, most] = [1, longest];
  while (least <= most) {
    const characters = (least + most) >> 1;
    const texts = cutTo(characters);
    if (fits(texts)) [best, least] = [texts, characters + 1];
    else most = characters - 1;
  }
  return { characters: most, texts: best };
}

function cutMiddle({ entry, text }: UserMessage, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = headOf(text, Math.ceil(maxCharacters * HEAD_SHARE));
  const tail = tailOf(text, maxCharacters - head.length);
  const left = text.length - head.length - tail.length;
  const cut = `${head}\n[... ${left} characters of entry ${entry} left out ...]\n${tail}`;
  // A note that is longer than what it replaces saves nothing.
  return cut.length < text.length ? cut : text;
}

function render(messages: readonly UserMessage[], texts: ReadonlyMap<UserMessage, string>): string {
  if (texts.size === 0) return "";
  const parts = messages.flatMap((message) => {
    const text = texts.get(message);
    return text === undefined ? [] : [numbered(message, text)];
  });
  const left = messages.filter((message) => !texts.has(message)).map(({ entry }) => entry);
  const note =
    left.length === 0
      ? []
      : [`[${left.length} left out: ${left.length === 1 ? "entry" : "entries"} ${numbersText(left)}]`];
  return [...parts, ...note].join("\n\n").toWellFormed();
}

/** `3, 7, 9, 12 and 40 more up to 311`: so many numbers are told one by one. */
const MAX_NUMBERS = 20;

function numbersText(entries: readonly number[]): string {
  if (entries.length <= MAX_NUMBERS) return entries.join(", ");
  return `${entries.slice(0, MAX_NUMBERS).join(", ")} and ${entries.length - MAX_NUMBERS} more up to ${entries.at(-1)}`;
}
