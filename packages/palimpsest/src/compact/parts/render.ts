// Plans the items of each part, loads them, shares the room among the parts, and renders each part within its own.

import type { PartRecord } from "../../log/payload-compaction.ts";
import { isProvenance, OUTSIDE, type Provenance } from "../../log/provenance.ts";
import { callRule, type Guarded, type RuleFailure, shown } from "../../policy/guard.ts";
import type {
  Json,
  KeepPart,
  LoadedItem,
  Material,
  PartBudget,
  PartText,
  PlannedItem,
  Room,
} from "../../policy/policy.ts";
import type { CollectedState } from "../../state/carried.ts";
import type { Surroundings } from "../../state/host-content.ts";
import { shortenText } from "../../text.ts";
import { isFloor } from "./floor.ts";

/** A part with its items, before it gets room. */
export interface PreparedPart {
  readonly part: KeepPart;
  readonly items: readonly LoadedItem[];
  /** Files that could not be read. */
  readonly missing: number;
  readonly failure: RuleFailure | undefined;
}

interface PrepareOptions {
  readonly collected: Readonly<Record<string, CollectedState>>;
  readonly loader: ItemLoader;
}

/** Plans the items of a part, and loads them. A part that fails has no items. */
export async function preparePart(
  part: KeepPart,
  material: Material,
  { collected, loader }: PrepareOptions,
): Promise<PreparedPart> {
  const state = Object.hasOwn(collected, part.name) ? collected[part.name]?.state : part.collect?.empty;
  const collectedState = structuredClone(state ?? null) as Json;
  const { value: planned, failure } = planItems(part, { ...material, collected: collectedState });
  const loaded = await Promise.all(planned.map((item) => loader.load(item)));
  const missing = planned.filter(({ from }, index) => from.kind === "file" && loaded[index]!.length === 0).length;
  return { part, items: loaded.flat(), missing, failure };
}

// ------------------------------------------------------------------------------------------------ what the host has

/** What the host has. A host that fails, or has nothing, has no text. */
interface ItemLoader {
  load(item: PlannedItem): Promise<readonly LoadedItem[]>;
}

/** Loads planned items. Asks the host for each file and each text once. */
export function createLoader(surroundings: Surroundings, { countTokens, countMedia }: Counters): ItemLoader {
  const asked = new Map<string, Promise<unknown>>();
  const ask = (name: string, of?: string | readonly string[]): Promise<unknown> => {
    const key = JSON.stringify([name, of]);
    const answer = asked.get(key) ?? answerOf(surroundings, name, of);
    asked.set(key, answer);
    return answer;
  };
  const toItem = (planned: PlannedItem, found: FoundText): LoadedItem => ({
    ...found,
    entry: planned.entry,
    media: planned.media,
    data: planned.data,
    tokens: countTokens(found.text) + (planned.media === undefined ? 0 : countMedia(planned.media)),
  });
  return {
    async load(planned) {
      const { key, from } = planned;
      switch (from.kind) {
        case "text":
          return [toItem(planned, { key, text: from.text, provenance: from.provenance, path: undefined })];
        case "file": {
          const { path } = from;
          const text = await ask("readFile", path);
          if (typeof text !== "string") return [];
          return [toItem(planned, { key, text, path, provenance: { kind: "outside", name: path } })];
        }
        case "host": {
          const { name, of, provenance = OUTSIDE } = from;
          return textsOf(await ask(name, of), { key, provenance })
            .filter(({ text }) => text.trim() !== "")
            .map((text) => toItem(planned, text));
        }
      }
    },
  };
}

interface Counters {
  readonly countTokens: (text: string) => number;
  readonly countMedia: (media: NonNullable<PlannedItem["media"]>) => number;
}

interface FoundText {
  readonly key: string;
  readonly text: string;
  readonly provenance: Provenance;
  readonly path: string | undefined;
}

async function answerOf(
  surroundings: Surroundings,
  name: string,
  of: string | readonly string[] | undefined,
): Promise<unknown> {
  try {
    const ask = Object.hasOwn(surroundings, name) ? surroundings[name as keyof Surroundings] : undefined;
    return await (ask as ((of: unknown) => Promise<unknown>) | undefined)?.(of);
  } catch {
    return undefined;
  }
}

/** The texts of an answer: a text, an object with a text and perhaps a name, a path and a source, or a list of either. */
function textsOf(answer: unknown, { key, provenance }: Pick<FoundText, "key" | "provenance">): readonly FoundText[] {
  if (typeof answer === "string") return [{ key, text: answer, provenance, path: undefined }];
  if (Array.isArray(answer)) {
    return answer.flatMap((one: unknown) => {
      const { name, path } = (one ?? {}) as { readonly name?: string; readonly path?: string };
      const of = name ?? path ?? key;
      return textsOf(one, {
        key: of,
        provenance: provenance.kind === "project" ? { kind: "project", name: of } : provenance,
      });
    });
  }
  const { text, path, provenance: own } = (answer ?? {}) as Partial<FoundText>;
  return typeof text === "string" ? [{ key, text, path, provenance: own ?? provenance }] : [];
}

// ------------------------------------------------------------------------------------------------ rendering

interface RenderOptions {
  readonly roomTokens: number;
  /** The messages that stay, as text. */
  readonly keptText: string;
  readonly summary: string | undefined;
  /** Whether a summary or the provider's block stands there. */
  readonly isWritten: boolean;
  readonly countTokens: (text: string) => number;
  readonly tokensOf: (text: PartText) => number;
}

export interface RenderedParts {
  /** In the order of the parts. */
  readonly texts: readonly PartText[];
  readonly records: readonly PartRecord[];
  readonly failures: readonly RuleFailure[];
  /** `cut`: even the parts that must survive do not fit. */
  readonly floor: "whole" | "cut";
}

/** The heading of a part and the marks around its texts; the number or heading of an item. */
const FRAME_TOKENS = 60;
const ITEM_TOKENS = 24;

const NOTHING: PartBudget = { maxTokens: 0, share: 0 };

interface Result {
  readonly texts: readonly PartText[];
  readonly tokens: number;
  readonly failure: RuleFailure | undefined;
}

/** Shares the room, and renders each part within its own. A part that fails is left out, and the others keep their room. */
export function renderParts(prepared: readonly PreparedPart[], options: RenderOptions): RenderedParts {
  const { roomTokens, keptText, summary, isWritten, countTokens, tokensOf } = options;
  const wishes = prepared.map(({ part, items, failure }) => ({
    budget: failure === undefined ? budgetOf(part, isWritten) : NOTHING,
    fullTokens: items.length === 0 ? 0 : FRAME_TOKENS + items.length * ITEM_TOKENS + fullTokensOf(items),
    floor: isFloor(part),
  }));
  const shared = shareRoom(wishes, Math.max(0, Math.floor(roomTokens)));
  const results: Result[] = prepared.map(({ failure }) => ({ texts: [], tokens: 0, failure }));
  const shown = [keptText];
  let unused = 0;
  for (const index of renderOrder(prepared)) {
    const { part, items } = prepared[index]!;
    const granted = shared.granted[index]!;
    if (granted === 0) continue;
    const isLast = part.rendered === "last";
    const most = Math.min(wishes[index]!.budget.maxTokens, granted + (isLast ? unused : 0));
    const room = roomOf(most, countTokens, { shown: shown.join("\n"), summary });
    const { value, failure } = renderTexts(part, items, room, tokensOf);
    results[index] = { ...value, failure };
    unused += granted - value.tokens;
    shown.push(...value.texts.map(wordsOf));
  }
  return {
    texts: results.flatMap(({ texts }) => texts),
    records: prepared.flatMap((one, index) => {
      return recordOf(one, results[index]!, { granted: shared.granted[index]!, fits: shared.fits });
    }),
    failures: results.flatMap(({ failure }) => failure ?? []),
    floor: shared.fits === "cut" ? "cut" : "whole",
  };
}

/** The parts that are rendered last know the text of all others, and the more important of them that of the less important. */
function renderOrder(prepared: readonly PreparedPart[]): readonly number[] {
  const indexes = [...prepared.keys()];
  const isLast = (index: number): boolean => prepared[index]!.part.rendered === "last";
  const last = indexes.filter(isLast);
  const ofFloor = last.filter((index) => isFloor(prepared[index]!.part));
  const others = last.filter((index) => !ofFloor.includes(index)).toReversed();
  return [...indexes.filter((index) => !isLast(index)), ...ofFloor, ...others];
}

function budgetOf({ budget }: KeepPart, isWritten: boolean): PartBudget {
  return isWritten || budget.withoutSummary === undefined ? budget : { ...budget, ...budget.withoutSummary };
}

interface Granted {
  readonly granted: number;
  readonly fits: SharedRoom["fits"];
}

/** A part without content has no record. */
function recordOf(
  { part, items, missing }: PreparedPart,
  { tokens, failure }: Result,
  room: Granted,
): readonly PartRecord[] {
  const fullTokens = fullTokensOf(items);
  if (items.length === 0 && missing === 0 && failure === undefined) return [];
  const whys = [
    ...(failure === undefined ? [] : [`${failure.where} failed: ${failure.why}`]),
    ...(missing === 0 ? [] : [`${missing} of ${items.length + missing} files could not be read`]),
    ...(failure === undefined && room.granted < fullTokens ? [whyOf(room)] : []),
    ...(failure === undefined && room.granted >= fullTokens && tokens === 0 ? ["other texts show all of it"] : []),
  ];
  const why = whys.length === 0 ? undefined : whys.join("; ");
  return [{ name: part.name, items: items.length, tokens, fullTokens, why }];
}

function whyOf({ granted, fits }: Granted): string {
  if (granted === 0 && fits !== "all") return "there was room only for the parts that must survive";
  return `there was room for ${granted} tokens`;
}

function fullTokensOf(items: PreparedPart["items"]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The text of a part under its heading. */
export function wordsOf({ heading, text }: PartText): string {
  return heading === "" ? text : `${heading}\n${text}`;
}

// ------------------------------------------------------------------------------------------------ the room

/** What a part may have, and what it could show. */
export interface Wish {
  readonly budget: PartBudget;
  /** The tokens of everything that the part could show. */
  readonly fullTokens: number;
  /** A part of the floor survives even if the minimums of all parts do not fit. */
  readonly floor: boolean;
}

/** `all`: every part has at least its minimum. `floor`: only the floor is shown. `cut`: only the floor, in equal shares. */
interface SharedRoom {
  readonly granted: readonly number[];
  readonly fits: "all" | "floor" | "cut";
}

/**
 * Grants each part its minimum, then its share, then the room that the others leave, in this order and each in the order of the
 * list. No part gets more than it can show. If the minimums do not fit, only the floor is shown. If the floor does not fit either,
 * its parts get equal shares.
 */
export function shareRoom(wishes: readonly Wish[], roomTokens: number): SharedRoom {
  const all = grant(wishes, roomTokens);
  if (all !== undefined) return { granted: all, fits: "all" };
  const floor = wishes.map((wish) => (wish.floor ? wish : { ...wish, fullTokens: 0 }));
  const whole = grant(floor, roomTokens);
  if (whole !== undefined) return { granted: whole, fits: "floor" };
  const count = floor.filter(({ fullTokens }) => fullTokens > 0).length;
  const equal = floor.map((wish) => ({ ...wish, budget: { ...wish.budget, minTokens: 0, share: 1 / count } }));
  return { granted: grant(equal, roomTokens)!, fits: "cut" };
}

/** Undefined if the minimums do not fit. */
function grant(wishes: readonly Wish[], roomTokens: number): readonly number[] | undefined {
  const most = wishes.map(({ budget, fullTokens }) => Math.min(budget.maxTokens, fullTokens));
  const granted = wishes.map(({ budget }, index) => Math.min(budget.minTokens ?? 0, most[index]!));
  let left = roomTokens - granted.reduce((sum, tokens) => sum + tokens, 0);
  if (left < 0) return undefined;
  const raiseTo = (tokensOf: (wish: Wish) => number): void => {
    for (const [index, wish] of wishes.entries()) {
      const before = granted[index]!;
      const after = Math.max(before, Math.min(most[index]!, tokensOf(wish), before + left));
      granted[index] = after;
      left -= after - before;
    }
  };
  raiseTo(({ budget }) => Math.floor(budget.share * roomTokens));
  raiseTo(() => Number.POSITIVE_INFINITY);
  return granted;
}

/** A cut that leaves fewer tokens is not worth its mark. */
const LEAST_TOKENS = 100;

/** The room of one part, with the functions that `render` may call. */
export function roomOf(
  tokens: number,
  count: (text: string) => number,
  { shown, summary }: Pick<Room, "shown" | "summary">,
): Room {
  return { tokens, shown, summary, count, cut: (text, most, rest) => cutTo(text, most, rest, count) };
}

/** Keeps the beginning and the end, because the request is often at one end and the newest state at the other. */
function cutTo(text: string, mostTokens: number, rest: string, count: (text: string) => number): string | undefined {
  const tokens = count(text);
  if (tokens <= mostTokens) return text;
  let characters = Math.floor((text.length * mostTokens) / tokens);
  for (; mostTokens >= LEAST_TOKENS && characters > 0; characters = Math.floor(characters * 0.8)) {
    const cut = shortenText(text, characters, (more) => `[${more} characters more are left out here: ${rest}]`);
    if (count(cut) <= mostTokens) return cut;
  }
  return undefined;
}

// ------------------------------------------------------------------------------------------------ calls of a builder's code

/** A part with more items plans too much. */
const MAX_ITEMS = 2_000;
/** The limit of the text of one item, and of one rendered text. */
const MAX_CHARACTERS = 2_000_000;

/** Calls `plan`. A failure counts as no items. */
function planItems(part: KeepPart, material: Material): Guarded<readonly PlannedItem[]> {
  const name = { rule: part.name, where: "plan" } as const;
  const problem = (items: unknown): string | undefined => problemOfBudget(part) ?? problemOfItems(items);
  return callRule(
    name,
    () => copyOfList(part.plan(material)),
    problem,
    () => [],
  );
}

/** Copies a list, so that later changes by the part have no effect. Anything else stays as it is. */
function copyOfList<One>(list: readonly One[]): readonly One[] {
  return Array.isArray(list) ? [...list] : list;
}

function problemOfBudget({ budget: { maxTokens, share, minTokens = 0 } }: KeepPart): string | undefined {
  const numbers = Object.entries({ maxTokens, share, minTokens });
  const wrong = numbers.find(([, value]) => !Number.isFinite(value) || value < 0);
  return wrong && `budget.${wrong[0]} is ${shown(wrong[1])}, and has to be a number from 0 on`;
}

function problemOfItems(items: unknown): string | undefined {
  if (!Array.isArray(items)) return `it returned ${shown(items)}, and has to return a list`;
  if (items.length > MAX_ITEMS) return `it returned ${items.length} items, and may return ${MAX_ITEMS}`;
  for (const item of items as readonly PlannedItem[]) {
    const problem = problemOfItem(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfItem({ key, from }: PlannedItem): string | undefined {
  const isNamed =
    (from.kind === "text" && typeof from.text === "string" && isProvenance(from.provenance)) ||
    (from.kind === "file" && typeof from.path === "string") ||
    (from.kind === "host" && typeof from.name === "string");
  if (typeof key !== "string" || !isNamed) return `it returned an item that is not a PlannedItem: ${shown(key)}`;
  if (from.kind !== "text" || from.text.length <= MAX_CHARACTERS) return undefined;
  return `the item ${shown(key)} has ${from.text.length} characters, and may have ${MAX_CHARACTERS}`;
}

/** Estimates of the same text can differ a little, depending on how the text is divided. */
const TOLERANCE = { share: 0.02, tokens: 20 };

interface RenderedTexts {
  readonly texts: readonly PartText[];
  readonly tokens: number;
}

/** Calls `render`. A failure counts as no texts. */
function renderTexts(
  part: KeepPart,
  items: readonly LoadedItem[],
  room: Room,
  tokensOf: (text: PartText) => number,
): Guarded<RenderedTexts> {
  const { value, failure } = callRule(
    { rule: part.name, where: "render" },
    () => copyOfList(part.render(items, room)),
    problemOfTexts,
    () => [],
  );
  const texts = value.map(wellFormed).filter(({ text, media = [] }) => text.trim() !== "" || media.length > 0);
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  if (tokens <= room.tokens * (1 + TOLERANCE.share) + TOLERANCE.tokens) return { value: { texts, tokens }, failure };
  const why = `it returned ${tokens} tokens for a room of ${room.tokens}; use room.cut or fitItems`;
  return { value: { texts: [], tokens: 0 }, failure: { rule: part.name, where: "render", why } };
}

function problemOfTexts(texts: unknown): string | undefined {
  if (!Array.isArray(texts)) return `it returned ${shown(texts)}, and has to return a list`;
  for (const { heading, text, provenance, attachment, media = [] } of texts as readonly PartText[]) {
    const isText = typeof heading === "string" && typeof text === "string" && isProvenance(provenance);
    if (!isText || !Array.isArray(media) || !["string", "undefined"].includes(typeof attachment))
      return "it returned a text that is not a PartText";
    if (text.length > MAX_CHARACTERS)
      return `it returned a text of ${text.length} characters, and may return ${MAX_CHARACTERS}`;
    if (media.length > 0 && attachment === undefined) return "images need an attachment: name its type";
  }
  return undefined;
}

function wellFormed({ heading, text, provenance, attachment, media }: PartText): PartText {
  return { heading: heading.toWellFormed(), text: text.toWellFormed(), provenance, attachment, media };
}
