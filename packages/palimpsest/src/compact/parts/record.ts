// Parts from the log: evidence, quoted lines, and the newest results of a turn that is not over.

import { SUMMARY } from "../../log/provenance.ts";
import type { KeepPart, LoadedItem, Room } from "../../policy/policy.ts";
import { A_COUNT, checkAllOptions, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import {
  decayed,
  type Evidence,
  endOf,
  type FactEvidence,
  type FileEvidence,
  factKeys,
  keyOf,
  readFact,
} from "../evidence/state.ts";
import type { TranscriptRound } from "../summary/transcript.ts";
import { bothEnds } from "./floor.ts";
import type { EngineMaterial } from "./knowledge.ts";

interface Numbers {
  readonly maxTokens: number;
  readonly share?: number;
}

function checked(part: string, numbers: Numbers): Numbers {
  checkAllOptions(part, numbers, { maxTokens: A_COUNT, share: MAYBE_A_COUNT });
  return numbers;
}

const ALL = { budgetTokens: Number.POSITIVE_INFINITY, countTokens: () => 0 };

/** Files, commands with their outcome, errors, decisions, names and numbers, each with the entry for recall. */
export function evidence(numbers: Numbers): KeepPart {
  const { maxTokens, share = 0.1 } = checked("evidence", numbers);
  const heading = "Evidence from the record:";
  return {
    name: "evidence",
    params: { maxTokens, share },
    budget: { maxTokens, share },
    rendered: "last",
    plan: ({ evidence: known }: EngineMaterial) => itemOf("evidence", evidenceText(known, ALL), known),
    render([item], room) {
      const shown = [room.summary ?? "", room.shown].join("\n");
      const budgetTokens = room.tokens - room.count(`${heading}\n`);
      const text = evidenceText(item!.data as Evidence, { budgetTokens, countTokens: room.count, shown });
      return [{ heading, text, provenance: SUMMARY }];
    },
  };
}

/** The lines in which the names and numbers in use last stood. */
export function quotedLines(numbers: Numbers): KeepPart {
  const { maxTokens, share = 0.02 } = checked("quotedLines", numbers);
  const heading = "Lines from the record, as they last stood there, word for word:";
  return {
    name: "quotedLines",
    params: { maxTokens, share },
    budget: { maxTokens, share },
    rendered: "last",
    plan: ({ evidence: known }: EngineMaterial) => itemOf("lines", quoteLines(known, ALL), known),
    render([item], room) {
      const budgetTokens = room.tokens - room.count(`${heading}\n`);
      const { shown, summary } = room;
      const text = quoteLines(item!.data as Evidence, { budgetTokens, countTokens: room.count, shown, summary });
      return [{ heading, text, provenance: SUMMARY }];
    },
  };
}

function itemOf(key: string, text: string, data: Evidence) {
  return text === "" ? [] : [{ key, from: { kind: "text", text, provenance: SUMMARY }, data } as const];
}

/** What takes the place of a summary that no model wrote. */
const INSTEAD_OF_SUMMARY = { maxTokens: 20_000, share: 0.25 };
/** More of the newest rounds than any room has. */
const MAX_CHARACTERS = 400_000;

/** The newest rounds as text: of a turn that is not over, or in place of a summary. */
export function latestResults(numbers: Numbers): KeepPart {
  const { maxTokens, share = 0.1 } = checked("latestResults", numbers);
  const heading = "The latest results of tools:";
  const withoutSummary = {
    maxTokens: maxTokens + INSTEAD_OF_SUMMARY.maxTokens,
    share: share + INSTEAD_OF_SUMMARY.share,
  };
  return {
    name: "latestResults",
    params: { maxTokens, share },
    budget: { maxTokens, share, withoutSummary },
    plan({ work, turn, summary }: EngineMaterial) {
      if (turn === "closed" && summary !== undefined) return [];
      let characters = 0;
      const newest = work.toReversed().filter(({ text }, index) => {
        characters += text.length;
        return index === 0 || characters <= MAX_CHARACTERS;
      });
      return newest.map((round) => ({
        key: `${round.from}-${round.to}`,
        entry: round.to,
        from: { kind: "text", text: round.text, provenance: SUMMARY },
        data: round,
      }));
    },
    render(items, room) {
      const text = newestRounds(items, room.tokens - room.count(`${heading}\n`), room);
      return [{ heading, text, provenance: SUMMARY }];
    },
  };
}

/** The newest complete rounds that fit, oldest first. The newest one is cut if it alone is too long. */
function newestRounds(items: readonly LoadedItem[], mostTokens: number, { count }: Room): string {
  const texts: string[] = [];
  let left = mostTokens;
  for (const { text, tokens } of items) {
    if (tokens > left) break;
    texts.unshift(text);
    left -= tokens;
  }
  const [newest] = items;
  if (texts.length > 0 || newest === undefined) return texts.join("\n");
  const { from, to } = newest.data as TranscriptRound;
  return bothEnds(newest.text, mostTokens, count, ` of entries ${from} to ${to}`);
}

// ------------------------------------------------------------------------------------------------ evidence as text, within a budget

/** One line of evidence, and how much it is worth. */
export type EvidenceLine =
  | { readonly group: "rules" | "decisions" | "commands" | "errors"; readonly text: string; readonly score: number }
  | { readonly group: "paths"; readonly path: string; readonly text: string; readonly score: number }
  | FactLine;

interface FactLine {
  readonly group: "facts";
  readonly entry: number;
  readonly fact: string;
  /** The fact, after the words that it stood behind. */
  readonly text: string;
  readonly score: number;
}

// Set by hand, so that what was used again outlasts what was not (planted-facts.test.ts). A search over all of these on half
// of the sessions of the `recorded-compactions` experiment gained a sixth there at small budgets, and nothing on the other half.
/** Facts that were used again keep some worth, however old: for each doubling of their uses. */
const LASTING = 0.5;
/** The user's decisions come first, but people write a lot: those beyond this share of the budget count little. */
const RULE_SCORE = { within: 6, beyond: 0.6 } as const;
const RULE_SHARE = 0.3;
const CHARACTERS_PER_TOKEN = 4;
const ERROR_SCORE = { open: 2, over: 0.3 } as const;
const DECISION_SCORE = 1;
/** An error or a decision that came up again: the work is about it. */
const SPOKEN_OF_LASTING = 1.5;
/** A command that ran or was mentioned again, and one that was not. */
const COMMAND_FACTOR = { again: 2, once: 0.5 } as const;
const FAILED_FACTOR = 1.5;
/** Exploring is repeated when needed; its findings are among the names. */
const LOOKING_FACTOR = 0.3;
const LOOKING = /^(?:ls|cat|head|tail|wc|grep|rg|find|pwd|which|echo|tree|stat|sed -n)\b/;
/** The model may state the outcome within this distance after a command. */
const OUTCOME_CHARACTERS = 200;
const FILE_FACTOR = 1;
/** A long line takes the space of several short ones. */
const LENGTH_OFFSET = 12;
const LENGTH_POWER = 0.3;

/** Returns everything that is not yet in `shown`, the most valuable first. */
export function evidenceLines(evidence: Evidence, shown: string, budgetTokens: number): EvidenceLine[] {
  const { round, rules, errors, commands } = evidence;
  const isNew = (text: string): boolean => shown === "" || !shown.includes(text);
  const lines: EvidenceLine[] = [];
  let ruleCharacters = budgetTokens * CHARACTERS_PER_TOKEN * RULE_SHARE;
  for (const { text, entry, ofModel } of rules.toReversed()) {
    if (!isNew(text)) continue;
    if (ofModel !== undefined) {
      const score = decayed({ weight: DECISION_SCORE, round: ofModel.round }, round) + spokenOf(1 + ofModel.uses);
      lines.push({ group: "decisions", text: `"${oneLine(text)}" #${entry}`, score });
      continue;
    }
    ruleCharacters -= text.length;
    const score = RULE_SCORE[ruleCharacters >= 0 ? "within" : "beyond"];
    lines.push({ group: "rules", text: `"${oneLine(text)}" #${entry}`, score });
  }
  for (const { text, entry, times, state, round: at } of errors) {
    if (!isNew(text.split("\n")[0]!)) continue;
    const score = decayed({ weight: ERROR_SCORE[state], round: at }, round) + spokenOf(times);
    const more = [...(times > 1 ? [` x${times}`] : []), ...(state === "over" ? [" (over)"] : [])].join("");
    lines.push({ group: "errors", text: `${oneLine(text)}${more} #${entry}`, score });
  }
  for (const command of commands) {
    const { state, exitCode, report, entry, runs } = command;
    const ended = exitCode === undefined ? state : `exit ${exitCode}`;
    if (isToldWith(shown, command.command, exitCode)) continue;
    const said = report === undefined ? "" : `: ${oneLine(report)}`;
    const text = `${indented(command.asRun ?? command.command)} -> ${ended}${said}${runs > 1 ? ` x${runs}` : ""} #${entry}`;
    const uses = runs + command.mentions;
    const failed = state === "failed" ? FAILED_FACTOR : 1;
    const looking = LOOKING.test(command.command) ? LOOKING_FACTOR : 1;
    const score =
      COMMAND_FACTOR[uses > 1 ? "again" : "once"] * failed * looking * decayed(command, round) +
      LASTING * Math.log2(uses);
    lines.push({ group: "commands", text, score });
  }
  lines.push(...factLines(evidence, shown));
  const ranked = lines
    .map((line) => ({ ...line, score: perLength(line) }))
    .sort((one, other) => other.score - one.score);
  return withoutRepetition(ranked);
}

/**
 * A name that nobody used after its first sight has no line, unless the user named it or work was done on the file: in recordings,
 * such names are not needed again, and they took most of the room.
 */
function isWorthNaming({ uses, source, sort, text }: FactEvidence, files: ReadonlyMap<string, unknown>): boolean {
  return uses > 0 || source === "user" || (sort === "path" && files.has(text));
}

/** A name that a better line says already (a command, an error) has no line of its own; nor has a path of which nothing else is known. */
function withoutRepetition(ranked: readonly EvidenceLine[]): EvidenceLine[] {
  const told = new Set<string>();
  return ranked.filter((line) => {
    if (line.group === "facts") return !told.has(line.fact);
    if (line.group === "paths") return !(line.text.startsWith(ONLY_NAMED) && told.has(endOf(line.path)));
    for (const fact of factKeys(line.text)) told.add(fact);
    return true;
  });
}

/** What follows a path of which no more than its entry is known. */
const ONLY_NAMED = " #";

function factLines({ files, facts: stored, round }: Evidence, shown: string): EvidenceLine[] {
  const facts = stored.map(readFact);
  const shownFacts = new Set(factKeys(shown));
  const paths = new Map<string, { score: number; text: string }>();
  const whole = new Map<string, string>();
  const known = [
    ...files.map(({ path }) => path),
    ...facts.filter(({ sort }) => sort === "path").map(({ text }) => text),
  ];
  for (const path of known) if (isAbsolute(path)) whole.set(endOf(path), path);
  /** The most informative form of a file's path: commands name it from their working folder, other tools from the root. */
  const wholePath = (path: string): string => {
    const found = whole.get(endOf(path));
    return found?.endsWith(`/${path.replace(/^\.\//, "")}`) ? found : path;
  };
  for (const file of files) paths.set(file.path, { score: FILE_FACTOR * decayed(file, round), text: stateOf(file) });
  const lines: EvidenceLine[] = [];
  for (const fact of facts) {
    const { text, sort, entry, near } = fact;
    if (!isWorthNaming({ ...fact, text: wholePath(text) }, paths)) continue;
    const score = scoreOf(fact, round);
    if (sort !== "path") {
      if (!shownFacts.has(text))
        lines.push({ group: "facts", entry, fact: text, text: near === undefined ? text : `${near} ${text}`, score });
      continue;
    }
    const path = wholePath(text);
    const before = paths.get(path);
    paths.set(path, { score: score + (before?.score ?? 0), text: before?.text ?? `${ONLY_NAMED}${entry}` });
  }
  for (const [path, { score, text }] of paths) {
    if (!shownFacts.has(endOf(path))) lines.push({ group: "paths", path, text, score });
  }
  return lines;
}

/** A command that is spoken of without saying how it ended is told all the same. */
function isToldWith(shown: string, command: string, exitCode: number | undefined): boolean {
  if (exitCode === undefined) return shown.includes(command);
  for (let at = shown.indexOf(command); at >= 0; at = shown.indexOf(command, at + command.length)) {
    const behind = shown.slice(at + command.length, at + command.length + OUTCOME_CHARACTERS);
    if (new RegExp(`\\b${exitCode}\\b`).test(behind)) return true;
  }
  return false;
}

function spokenOf(times: number): number {
  return SPOKEN_OF_LASTING * Math.log2(times);
}

function scoreOf(fact: FactEvidence, round: number): number {
  return decayed(fact, round) + LASTING * Math.log2(1 + fact.uses);
}

function stateOf({ readEntry, editEntry, ranges }: FileEvidence): string {
  const lines = ranges.slice(-2).map(([first, last]) => `${first}-${last}`);
  const read = readEntry === undefined ? "" : ` read${lines.length === 0 ? "" : ` ${lines.join(",")}`} #${readEntry}`;
  return `${editEntry === undefined ? "" : ` edited #${editEntry}`}${read}`;
}

function perLength(line: EvidenceLine): number {
  // Files share their folders.
  const length = line.group === "paths" ? (line.text.length + line.path.length) / 2 : line.text.length;
  return line.score / (LENGTH_OFFSET + length) ** LENGTH_POWER;
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/~]|[A-Za-z]:)/.test(path);
}

/** Word for word: further lines are indented, so that they are seen to belong to it. */
function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line, at) => line !== "" || at === 0)
    .join("\n  ");
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " | ");
}

interface EvidenceTextOptions {
  /** The maximum size of the text. */
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
  /** Text beside it in the view, which is not repeated. @default "" */
  readonly shown?: string;
}

const HEADING = "From the log (#N: entry N)";
const HEADINGS = {
  rules: "Said by the user",
  decisions: "Decided by the assistant",
  paths: "Files",
  commands: "Commands, how they last ended",
  errors: "Errors",
  facts: "Names and numbers",
} as const;

/** Renders the evidence: the most and the latest used first, up to the budget. Empty if nothing fits. */
export function evidenceText(
  evidence: Evidence,
  { budgetTokens, countTokens, shown = "" }: EvidenceTextOptions,
): string {
  const lines = evidenceLines(evidence, shown, budgetTokens);
  let best = "";
  let [fits, tooMany] = [0, lines.length + 1];
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1;
    const text = render(lines.slice(0, count));
    if (countTokens(text) <= budgetTokens) [fits, best] = [count, text];
    else tooMany = count;
  }
  return best;
}

function render(lines: readonly EvidenceLine[]): string {
  const byGroup = Map.groupBy(lines, ({ group }) => group);
  const groups = Object.entries(HEADINGS).flatMap(([group, heading]) => {
    const some = byGroup.get(group as EvidenceLine["group"]) ?? [];
    return some.length === 0 ? [] : renderGroup(heading, some);
  });
  return groups.length === 0 ? "" : [HEADING, ...groups].join("\n").toWellFormed();
}

function renderGroup(heading: string, lines: readonly EvidenceLine[]): string[] {
  const [first] = lines;
  if (first?.group === "paths") return renderPaths(heading, lines.filter(isPath));
  if (first?.group === "facts") return [`${heading}:`, ...renderFacts(lines.filter((line) => line.group === "facts"))];
  return [`${heading}:`, ...lines.map(({ text }) => `- ${text}`)];
}

type PathLine = Extract<EvidenceLine, { group: "paths" }>;

function isPath(line: EvidenceLine): line is PathLine {
  return line.group === "paths";
}

/** Files of the project come first, without its folder, which would stand in almost every line. */
function renderPaths(heading: string, lines: readonly PathLine[]): string[] {
  const root = sharedFolder(lines.map(({ path }) => folderOf(path)));
  const isBelow = ({ path }: PathLine): boolean => root !== "" && path.startsWith(root) && path !== root;
  const below = lines.filter(isBelow);
  if (below.length === 0) return [`${heading}:`, ...renderFolders(lines, 0)];
  const others = lines.filter((line) => !isBelow(line));
  return [
    `${heading} in ${root}:`,
    ...renderFolders(below, root.length),
    ...(others.length === 0 ? [] : [`Other ${heading.toLowerCase()}:`, ...renderFolders(others, 0)]),
  ];
}

/** Files of one folder share a line, so that the folder is named once. */
function renderFolders(lines: readonly PathLine[], rootCharacters: number): string[] {
  const byFolder = Map.groupBy(lines, ({ path }) => folderOf(path).slice(rootCharacters));
  return Array.from(byFolder, ([folder, files]) => {
    const names = files.map(({ path, text }) => `${path.slice(rootCharacters + folder.length)}${text}`);
    return files.length === 1 || folder === "" ? `- ${folder}${names.join("; ")}` : `- ${folder}: ${names.join("; ")}`;
  });
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(...["\\", "/"].map((slash) => path.lastIndexOf(slash, path.length - 2))) + 1);
}

/** The absolute folder that saves most when it is named once; empty if none saves anything. */
function sharedFolder(folders: readonly string[]): string {
  const saved = new Map<string, number>();
  for (const folder of new Set(folders)) {
    if (!/^(?:\/|~|[A-Za-z]:)/.test(folder)) continue;
    for (const { index } of folder.matchAll(/[\\/]/g)) {
      const root = folder.slice(0, index + 1);
      saved.set(root, (saved.get(root) ?? -HEADING_CHARACTERS - root.length) + root.length);
    }
  }
  let [best, most] = ["", 0];
  for (const [root, characters] of saved) if (characters > most) [best, most] = [root, characters];
  return best;
}

/** "Other files:", and what stands before the folder. */
const HEADING_CHARACTERS = 20;

/** Facts of one entry share its number. */
function renderFacts(lines: readonly Extract<EvidenceLine, { group: "facts" }>[]): string[] {
  const byEntry = Map.groupBy(lines, ({ entry }) => entry);
  return Array.from(byEntry, ([entry, facts]) => `- ${facts.map(({ text }) => text).join(", ")} #${entry}`);
}

// ------------------------------------------------------------------------------------------------ lines from the record

interface QuoteOptions {
  /** The maximum size of the text. */
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
  /** Content of the record beside it in the view: a name that occurs there needs no line. @default "" */
  readonly shown?: string;
  /** A summary beside it: it may name a thing without its line, so only lines that it quotes itself are left out. @default "" */
  readonly summary?: string;
}

/** A long line takes the room of several short ones. */
const LINE_OFFSET = 20;
const LINE_POWER = 0.5;

/**
 * Quotes the lines in which the names and numbers of the evidence last stood, up to the budget: a name says that a thing exists,
 * its line how it is written. Lines of the most and the latest used names come first, for their length. Each line is quoted once,
 * for all names in it.
 */
export function quoteLines(
  evidence: Evidence,
  { budgetTokens, countTokens, shown = "", summary = "" }: QuoteOptions,
): string {
  const { facts, lines, round } = evidence;
  const lineOf = new Map(lines);
  const ranked = facts
    .map(readFact)
    .flatMap((fact) => {
      const line = lineOf.get(fact.text);
      if (line === undefined) return [];
      return [{ key: keyOf(fact), line, worth: decayed(fact, round) / (LINE_OFFSET + line.length) ** LINE_POWER }];
    })
    .sort((one, other) => other.worth - one.worth);
  const isShown = new Set(factKeys(shown));
  const quoted: string[] = [];
  let leftTokens = budgetTokens;
  for (const { key, line } of ranked) {
    if (isShown.has(key) || summary.includes(line)) continue;
    leftTokens -= countTokens(`- ${line}\n`);
    if (leftTokens < 0) break;
    quoted.push(`- ${line}`);
    for (const told of factKeys(line)) isShown.add(told);
  }
  return quoted.join("\n").toWellFormed();
}
