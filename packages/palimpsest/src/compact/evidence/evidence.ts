// What the log says about the work: files, commands, errors, decisions, and the names and numbers in use.

import type { Part, ToolCall, ToolResult } from "../../log/block.ts";
import type { ReadEntry } from "../../log/entry.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { isUsersOwn } from "../../log/provenance.ts";
import { lazyPattern } from "../../log/search-text.ts";
import { type FileTouch, type LineRange, numberedLines, outcomeOf, readCall } from "./calls.ts";
import { type Fact, findDecisions, findFacts, findLine, findRules } from "./find.ts";
import {
  addRange,
  type CommandEvidence,
  decayed,
  type ErrorEvidence,
  type Evidence,
  endOf,
  type FactEvidence,
  type FactLine,
  type FileEvidence,
  isSameFile,
  put,
  type RuleEvidence,
  readEvidence,
  readFact,
  type StoredFact,
  storeFact,
  thousandths,
} from "./state.ts";

const RUN_WORDS = 3;

/** Returns how much of a sentence occurs in a text: the share of its runs of three words. */
export function restatedShare(sentence: string, text: string): number {
  const runs = runsOf(sentence);
  if (runs.length === 0) return 0;
  const said = new Set(runsOf(text));
  return runs.filter((run) => said.has(run)).length / runs.length;
}

const wordPattern = lazyPattern(String.raw`[\p{L}\p{N}]+`, "gu");

function runsOf(text: string): string[] {
  const words = text.toLowerCase().match(wordPattern()) ?? [];
  return words.slice(RUN_WORDS - 1).map((_, index) => words.slice(index, index + RUN_WORDS).join(" "));
}

/** How many of each kind are kept. The oldest that was never used again is removed first, then the oldest. */
const LIMITS = { files: 400, commands: 300, errors: 100, rules: 150, open: 100 } as const;
/** The share of a decision that must recur to count as a mention, and for another sentence to be the same decision. */
const SAID_AGAIN = 0.4;
const SAME = 0.8;

/** Of each file: what the model wrote before has mostly been edited again. */
const MAX_WRITTEN = 4;

interface EvidenceFold {
  /** Adds the entries of the log in order; a result in its original form. The cost is proportional to the entry. */
  take(read: ReadEntry): void;
  /** Returns the whole state as plain JSON. */
  state(): Evidence;
}

/** The fold of a session's evidence, continued from a stored state. An invalid state counts as none. */
export function createEvidence(from?: unknown): EvidenceFold {
  return new SessionEvidence(readEvidence(from));
}

/**
 * Collects facts about a session from its log, without a model: files, commands and their outcomes, errors, the user's
 * decisions, and names and numbers that were used again. Continuing from a stored state gives the same result as starting from
 * the beginning.
 */
class SessionEvidence implements EvidenceFold {
  #newest: Evidence["newest"];
  #round: Evidence["round"];
  #responseId: Evidence["responseId"];
  readonly #files: Map<string, FileEvidence>;
  readonly #commands: Map<string, CommandEvidence>;
  readonly #errors: Map<string, ErrorEvidence>;
  readonly #rules: Map<string, RuleEvidence>;
  readonly #facts: ReturnType<typeof createFacts>;
  readonly #open: Map<string, Evidence["open"][number]>;

  constructor(start: Evidence) {
    this.#newest = start.newest;
    this.#round = start.round;
    this.#responseId = start.responseId;
    this.#files = new Map(start.files.map((file) => [file.path, file]));
    this.#commands = new Map(start.commands.map((command) => [command.command, command]));
    this.#errors = new Map(start.errors.map((error) => [error.text, error]));
    this.#rules = new Map(start.rules.map((rule) => [rule.text, rule]));
    this.#facts = createFacts(start.facts, start.lines);
    this.#open = new Map(start.open.map((call) => [call.id, call]));
  }

  take(read: ReadEntry): void {
    this.#newest = read.sequence;
    if (read.kind === "message" && read.payload.audience !== "user") this.#takeMessage(read.payload, read.sequence);
  }

  state(): Evidence {
    return {
      version: 1,
      newest: this.#newest,
      round: this.#round,
      responseId: this.#responseId,
      files: [...this.#files.values()],
      commands: [...this.#commands.values()],
      errors: [...this.#errors.values()],
      rules: [...this.#rules.values()],
      facts: this.#facts.stored(),
      lines: this.#facts.lines(this.#round),
      open: [...this.#open.values()],
    };
  }

  #takeFacts(text: string, entry: number, source: FactSource): void {
    this.#facts.take(text, { entry, round: this.#round, source });
  }

  #takeWords(text: string, entry: number): void {
    this.#takeFacts(text, entry, "model");
    this.#takeMentions(text);
    this.#takeDecisions(text, entry);
  }

  /** A decision of the model counts like one of the user as long as it is mentioned. In other words it is the same decision. */
  #takeDecisions(text: string, entry: number): void {
    const found = findDecisions(text);
    for (const { ofModel, ...rule } of this.#rules.values()) {
      if (ofModel === undefined || ofModel.round >= this.#round || restatedShare(rule.text, text) < SAID_AGAIN)
        continue;
      this.#rules.set(rule.text, { ...rule, ofModel: { round: this.#round, uses: ofModel.uses + 1 } });
    }
    for (const decision of found) {
      if ([...this.#rules.keys()].some((known) => isSame(decision, known))) continue;
      const rule = { text: decision, entry, ofModel: { round: this.#round, uses: 0 } };
      put<RuleEvidence>(
        this.#rules,
        decision,
        rule,
        LIMITS.rules,
        ({ ofModel }) => ofModel === undefined || ofModel.uses > 0,
      );
    }
  }

  #takeCall(call: ToolCall, entry: number): void {
    const read = readCall(call);
    for (const text of stringsIn(call.input)) {
      const isContent = read.files?.some(({ access, path }) => access === "edit" && text !== path) === true;
      this.#takeFacts(text, entry, isContent ? "file" : "model");
    }
    if (read.files === undefined && read.command === undefined) return;
    put(this.#open, call.id, { id: call.id, ...read }, LIMITS.open);
  }

  #takeResult({ callId, content, status }: ToolResult, entry: number): void {
    const text = typeof content === "string" ? content : content.map(textOf).join("\n");
    const call = this.#open.get(callId);
    this.#open.delete(callId);
    this.#takeFacts(text, entry, "tool");
    const outcome = outcomeOf(text, status, call?.command === undefined ? "other" : "command");
    const of = call?.command ?? call?.files?.[0]?.path;
    if (call?.command !== undefined) this.#takeCommand({ ...call, command: call.command }, entry, outcome);
    if (outcome.state === "ok") for (const file of call?.files ?? []) this.#takeFile(file, numberedLines(text), entry);
    if (outcome.error !== undefined && outcome.error !== "") this.#takeError(outcome.error, of, entry);
    else if (of !== undefined) this.#settleErrors(of);
  }

  #takeCommand(
    { command, asRun }: Pick<CommandEvidence, "command" | "asRun">,
    entry: number,
    { state, exitCode, report }: ReturnType<typeof outcomeOf>,
  ): void {
    const known = this.#commands.get(command);
    const next: CommandEvidence = {
      command,
      asRun,
      runs: (known?.runs ?? 0) + 1,
      mentions: known?.mentions ?? 0,
      entry,
      state,
      exitCode,
      report,
      round: this.#round,
      weight: thousandths(WEIGHTS.used + decayed(known, this.#round)),
    };
    put(this.#commands, command, next, LIMITS.commands, ({ runs, mentions }) => runs + mentions > 1);
  }

  #takeFile({ path, access, range, written }: FileTouch, numbered: LineRange | undefined, entry: number): void {
    const lines = numbered ?? range;
    const known = this.#files.get(path);
    const placed = written === undefined ? known?.written : [...(known?.written ?? []), written].slice(-MAX_WRITTEN);
    const next: FileEvidence = {
      path,
      reads: (known?.reads ?? 0) + (access === "read" ? 1 : 0),
      edits: (known?.edits ?? 0) + (access === "edit" ? 1 : 0),
      // The order of these keys is part of logs: the entry that was known before comes first.
      ...(known?.readEntry === undefined ? {} : { readEntry: known.readEntry }),
      ...(known?.editEntry === undefined ? {} : { editEntry: known.editEntry }),
      ...(access === "read" ? { readEntry: entry } : { editEntry: entry }),
      ranges: lines === undefined ? (known?.ranges ?? []) : addRange(known?.ranges ?? [], lines),
      written: placed,
      round: this.#round,
      weight: thousandths(WEIGHTS[access] + decayed(known, this.#round)),
    };
    put(this.#files, path, next, LIMITS.files, ({ reads, edits }) => reads + edits > 1);
  }

  #takeError(text: string, of: string | undefined, entry: number): void {
    const known = this.#errors.get(text);
    const times = (known?.times ?? 0) + 1;
    const next: ErrorEvidence = { text, entry, times, state: "open", round: this.#round, of };
    put(this.#errors, text, next, LIMITS.errors, (error) => error.times > 1);
  }

  /** Commands and errors that the model speaks of are in use like any name. */
  #takeMentions(text: string): void {
    for (const command of this.#commands.values()) {
      if (command.round >= this.#round || !text.includes(command.command)) continue;
      const weight = thousandths(WEIGHTS.used + decayed(command, this.#round));
      this.#commands.set(command.command, { ...command, mentions: command.mentions + 1, round: this.#round, weight });
    }
    for (const error of this.#errors.values()) {
      if (error.round >= this.#round || !text.includes(error.text.split("\n")[0]!)) continue;
      this.#errors.set(error.text, { ...error, times: error.times + 1, round: this.#round });
    }
  }

  /** A failed command has succeeded since. */
  #settleErrors(of: string): void {
    for (const error of this.#errors.values()) {
      if (error.of === of && error.state === "open") this.#errors.set(error.text, { ...error, state: "over" });
    }
  }

  #takeUser(text: string, entry: number): void {
    this.#takeFacts(text, entry, "user");
    for (const rule of findRules(text)) {
      put<RuleEvidence>(this.#rules, rule, { text: rule, entry }, LIMITS.rules, ({ ofModel }) => ofModel === undefined);
    }
  }

  #takeMessage(message: MessagePayload, entry: number): void {
    const { origin, blocks, responseId: id } = message;
    // Texts of the engine or the host say nothing about the work, and facts must not come from a summary.
    if (origin === "host" || origin === "summary") return;
    if (origin === "model" && (id === undefined || id !== this.#responseId)) this.#round++;
    if (origin === "model") this.#responseId = id;
    for (const block of blocks) {
      if (block.kind === "tool_call") this.#takeCall(block, entry);
      else if (block.kind === "tool_result") this.#takeResult(block, entry);
      else if (block.kind !== "text") continue;
      else if (isUsersOwn(message)) this.#takeUser(block.text, entry);
      else if (origin === "model") this.#takeWords(block.text, entry);
      else this.#takeFacts(block.text, entry, "tool");
    }
  }
}

/** One of them may have something else around it. */
function isSame(one: string, other: string): boolean {
  return Math.max(restatedShare(one, other), restatedShare(other, one)) >= SAME;
}

function textOf(part: Part): string {
  return part.kind === "text" ? part.text : "";
}

/** The texts in a tool's input, at any depth. */
function stringsIn(input: unknown): string[] {
  const waiting: unknown[] = [input];
  const texts: string[] = [];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    else if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return texts;
}

// ------------------------------------------------------------------------------------------------ names and numbers

/** How many are kept. The oldest that was never used again is removed first, then the weakest. */
const MAX_FACTS = 5_000;
/** The number of names kept from one listing: its beginning and its end. */
const FACTS_PER_ENTRY = 400;
/** Lines are kept of so many facts: twice of what is ever quoted. */
const MAX_LINES = 600;
/** The weight of an occurrence for being needed again: set by hand, see text.ts. */
const WEIGHTS = { used: 1, introduced: 0.5, given: 1.5, shown: 0.15, read: 1, edit: 2 } as const;

/** The author of the text with a fact. `file`: text that the model writes into a file. */
type FactSource = FactEvidence["source"] | "file";

interface FactPlace {
  readonly entry: number;
  /** The number of responses before. */
  readonly round: number;
  readonly source: FactSource;
}

interface Facts {
  /** Adds the names and numbers of a text. */
  take(text: string, place: FactPlace): void;
  /** Returns all facts in the order of their last occurrence. */
  stored(): readonly StoredFact[];
  /** Returns the line in which a fact last stood, for the facts that weigh most in a round, in the order of their last occurrence. */
  lines(round: number): readonly FactLine[];
}

/** The names and numbers that a session has used so far. */
export function createFacts(start: readonly StoredFact[], startLines: readonly FactLine[]): Facts {
  return new SessionFacts(start, startLines);
}

/** Names and numbers that a session has used, with the statistics that tell whether they are needed again. */
class SessionFacts implements Facts {
  readonly #facts: Map<string, FactEvidence>;
  readonly #lines: Map<string, string>;
  /** Of each file, the form in which it was last named. */
  readonly #pathByEnd = new Map<string, string>();

  constructor(start: readonly StoredFact[], startLines: readonly FactLine[]) {
    this.#facts = new Map(start.map((fact) => [fact[0], readFact(fact)]));
    this.#lines = new Map(startLines);
    this.#indexPaths();
  }

  take(text: string, place: FactPlace): void {
    for (const fact of someOf(findFacts(text, "ends"))) this.#takeFact(fact, place, findLine(text, fact.text));
  }

  stored(): readonly StoredFact[] {
    return Array.from(this.#facts.values(), storeFact);
  }

  lines(round: number): readonly FactLine[] {
    const known = [...this.#facts.values()].flatMap((fact) => {
      const line = this.#lines.get(fact.text);
      return line === undefined ? [] : [{ line: [fact.text, line] as const, weight: decayed(fact, round) }];
    });
    const least =
      known.length <= MAX_LINES ? 0 : known.map(({ weight }) => weight).sort((a, b) => b - a)[MAX_LINES - 1]!;
    return known.flatMap(({ line, weight }) => (weight >= least ? [line] : [])).slice(-MAX_LINES);
  }

  #indexPaths(): void {
    this.#pathByEnd.clear();
    for (const { text, sort } of this.#facts.values()) if (sort === "path") this.#pathByEnd.set(endOf(text), text);
  }

  /** A file under the form that says most, and what is known of it under any. */
  #findKnown({ text, sort }: Fact): { readonly text: string; readonly known: FactEvidence | undefined } {
    const other = sort === "path" ? this.#pathByEnd.get(endOf(text)) : undefined;
    if (other === undefined || !isSameFile(text, other)) return { text, known: this.#facts.get(text) };
    const [longer, shorter] = other.length > text.length ? [other, text] : [text, other];
    return { text: longer, known: this.#facts.get(longer) ?? this.#facts.get(shorter) };
  }

  /** A line that is too long to be quoted leaves the one before. */
  #takeLine(text: string, known: FactEvidence | undefined, line: string | undefined): void {
    const before = known === undefined ? undefined : this.#lines.get(known.text);
    if (known !== undefined && known.text !== text) this.#lines.delete(known.text);
    const newest = line ?? before;
    if (newest === undefined) this.#lines.delete(text);
    else this.#lines.set(text, newest);
  }

  #takeFact(fact: Fact, { entry, round, source: into }: FactPlace, line: string | undefined): void {
    const source = into === "file" ? "model" : into;
    const { sort, near } = fact;
    const { text, known } = this.#findKnown(fact);
    // Twice in one response is not again.
    if (known !== undefined && source === "model" && known.round >= round) {
      this.#takeLine(known.text, known, line);
      return;
    }
    const isUse = known !== undefined && source === "model";
    const weight = isUse
      ? WEIGHTS.used
      : WEIGHTS[source === "model" ? "introduced" : source === "user" ? "given" : "shown"];
    this.#facts.delete(text);
    if (known !== undefined) this.#facts.delete(known.text);
    if (sort === "path") this.#pathByEnd.set(endOf(text), text);
    this.#facts.set(text, {
      text,
      sort,
      near,
      ...(known?.near === undefined ? {} : { near: known.near }),
      source: known?.source === "user" || source === "user" ? "user" : (known?.source ?? source),
      entry: isUse ? known.entry : entry,
      // A name of code that is written into a file can be read there.
      uses: (known?.uses ?? 0) + (isUse && !(into === "file" && sort === "identifier") ? 1 : 0),
      round,
      weight: thousandths(weight + decayed(known, round)),
    });
    this.#takeLine(text, known, line);
    if (this.#facts.size > MAX_FACTS) this.#forgetFacts(round);
  }

  /** A tenth at once, so that it costs nothing to speak of. */
  #forgetFacts(round: number): void {
    this.#forgetWeakest(MAX_FACTS * 0.9, round);
    this.#indexPaths();
  }

  #forgetWeakest(goal: number, round: number): void {
    for (const { text, uses, source } of this.#facts.values()) {
      if (this.#facts.size <= goal) return;
      if (uses === 0 && source !== "user") this.#facts.delete(text);
    }
    const weakest = [...this.#facts.values()].sort((one, other) => decayed(one, round) - decayed(other, round));
    for (const { text } of weakest.slice(0, this.#facts.size - goal)) this.#facts.delete(text);
  }
}

function someOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length <= FACTS_PER_ENTRY) return facts;
  return [...facts.slice(0, FACTS_PER_ENTRY / 2), ...facts.slice(-FACTS_PER_ENTRY / 2)];
}
