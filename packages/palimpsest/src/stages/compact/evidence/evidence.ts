import type { Part, ToolCall, ToolResult } from "../../../log/block.ts";
import type { MessagePayload } from "../../../log/payload.ts";
import type { ReadEntry } from "../../../log/read-payload.ts";
import { addRange, decayed, endOf, isSameFile } from "./evidence-parts.ts";
import {
  type CommandEvidence,
  type ErrorEvidence,
  type Evidence,
  type FactEvidence,
  type FileEvidence,
  type OpenCall,
  type RuleEvidence,
  readEvidence,
  readFact,
  storeFact,
} from "./evidence-state.ts";
import { type Fact, findFacts } from "./find-facts.ts";
import { findDecisions, findRules } from "./find-rules.ts";
import { outcomeOf } from "./outcome-of.ts";
import { numberedLines, readCall } from "./read-call.ts";
import { saidAgainShare } from "./said-again.ts";

/** How much is kept of each sort. What goes first is the oldest that was never used again, then the oldest. */
const LIMITS = { files: 400, commands: 300, errors: 100, rules: 150, facts: 5_000, open: 100 } as const;
/** Of one listing, so many names are kept: its beginning and its end. */
const FACTS_PER_ENTRY = 400;
/** What an occurrence says about being needed again: by hand, see evidence-lines.ts. */
const WEIGHTS = { used: 1, introduced: 0.5, given: 1.5, shown: 0.15, read: 1, edit: 2 } as const;

/** Of a decision, so much must come back for it to be spoken of, and for another sentence to be the same decision. */
const SAID_AGAIN = 0.4;
const SAME = 0.8;

export interface EvidenceFold {
  /** Takes the entries of the log in order; of a result, the form it came in with. Costs what the entry costs. */
  take(read: ReadEntry): void;
  /** All of it, as plain JSON. */
  state(): Evidence;
}

/**
 * What the log proves about a session, gathered without a model: files, commands and how they ended, errors, what the user
 * ruled, and the names and numbers that were used again. Folding on from a state that was stored gives the same as folding
 * from the beginning. What cannot be read as a state counts as none.
 */
export function createEvidence(from?: unknown): EvidenceFold {
  const start = readEvidence(from);
  let { newest, round, responseId } = start;
  const files = new Map(start.files.map((file) => [file.path, file]));
  const commands = new Map(start.commands.map((command) => [command.command, command]));
  const errors = new Map(start.errors.map((error) => [error.text, error]));
  const rules = new Map(start.rules.map((rule) => [rule.text, rule]));
  const facts = new Map(start.facts.map((fact) => [fact[0], readFact(fact)]));
  const open = new Map(start.open.map((call) => [call.id, call]));

  /** Of each file, the form in which it was last named. */
  const pathByEnd = new Map<string, string>();
  indexPaths();

  function indexPaths(): void {
    pathByEnd.clear();
    for (const { text, sort } of facts.values()) if (sort === "path") pathByEnd.set(endOf(text), text);
  }

  /** A file under the form that says most, and what is known of it under any. */
  function findKnown({ text, sort }: Fact): { readonly text: string; readonly known: FactEvidence | undefined } {
    const other = sort === "path" ? pathByEnd.get(endOf(text)) : undefined;
    if (other === undefined || !isSameFile(text, other)) return { text, known: facts.get(text) };
    const [longer, shorter] = other.length > text.length ? [other, text] : [text, other];
    return { text: longer, known: facts.get(longer) ?? facts.get(shorter) };
  }

  function takeFacts(text: string, entry: number, source: FactEvidence["source"] | "file"): void {
    for (const fact of someOf(findFacts(text, "ends"))) takeFact(fact, entry, source);
  }

  function takeFact(fact: Fact, entry: number, into: FactEvidence["source"] | "file"): void {
    const source = into === "file" ? "model" : into;
    const { sort, near } = fact;
    const { text, known } = findKnown(fact);
    // Twice in one response is not again.
    if (known !== undefined && source === "model" && known.round >= round) return;
    const isUse = known !== undefined && source === "model";
    const weight = isUse
      ? WEIGHTS.used
      : WEIGHTS[source === "model" ? "introduced" : source === "user" ? "given" : "shown"];
    facts.delete(text);
    if (known !== undefined) facts.delete(known.text);
    if (sort === "path") pathByEnd.set(endOf(text), text);
    facts.set(text, {
      text,
      sort,
      ...(near === undefined ? {} : { near }),
      ...(known?.near === undefined ? {} : { near: known.near }),
      source: known?.source === "user" || source === "user" ? "user" : (known?.source ?? source),
      entry: isUse ? known.entry : entry,
      // A name of code that is written into a file can be read there.
      uses: (known?.uses ?? 0) + (isUse && !(into === "file" && sort === "identifier") ? 1 : 0),
      round,
      weight: thousandths(weight + decayed(known, round)),
    });
    if (facts.size > LIMITS.facts) forgetFacts();
  }

  /** A tenth at once, so that it costs nothing to speak of. */
  function forgetFacts(): void {
    forgetWeakest(LIMITS.facts * 0.9);
    indexPaths();
  }

  function forgetWeakest(goal: number): void {
    for (const { text, uses, source } of facts.values()) {
      if (facts.size <= goal) return;
      if (uses === 0 && source !== "user") facts.delete(text);
    }
    const weakest = [...facts.values()].sort((one, other) => decayed(one, round) - decayed(other, round));
    for (const { text } of weakest.slice(0, facts.size - goal)) facts.delete(text);
  }

  function takeWords(text: string, entry: number): void {
    takeFacts(text, entry, "model");
    takeMentions(text);
    takeDecisions(text, entry);
  }

  /** What the model settles on holds like a ruling as long as it is spoken of. In other words it is the same decision. */
  function takeDecisions(text: string, entry: number): void {
    const found = findDecisions(text);
    for (const { ofModel, ...rule } of rules.values()) {
      if (ofModel === undefined || ofModel.round >= round || saidAgainShare(rule.text, text) < SAID_AGAIN) continue;
      rules.set(rule.text, { ...rule, ofModel: { round, uses: ofModel.uses + 1 } });
    }
    for (const decision of found) {
      if ([...rules.keys()].some((known) => isSame(decision, known))) continue;
      const rule = { text: decision, entry, ofModel: { round, uses: 0 } };
      put<RuleEvidence>(
        rules,
        decision,
        rule,
        LIMITS.rules,
        ({ ofModel }) => ofModel === undefined || ofModel.uses > 0,
      );
    }
  }

  function takeCall(call: ToolCall, entry: number): void {
    const read = readCall(call);
    for (const text of stringsIn(call.input)) {
      const isContent = read.file?.access === "edit" && text !== read.file.path;
      takeFacts(text, entry, isContent ? "file" : "model");
    }
    if (read.file === undefined && read.command === undefined) return;
    put(open, call.id, { id: call.id, ...read }, LIMITS.open);
  }

  function takeResult({ callId, content, status }: ToolResult, entry: number): void {
    const text = typeof content === "string" ? content : content.map(textOf).join("\n");
    const call = open.get(callId);
    open.delete(callId);
    takeFacts(text, entry, "tool");
    const outcome = outcomeOf(text, status, call?.command === undefined ? "other" : "command");
    const of = call?.command ?? call?.file?.path;
    if (call?.command !== undefined) takeCommand(call.command, entry, outcome);
    if (call?.file !== undefined && outcome.state === "ok")
      takeFile(call.file, numberedLines(text) ?? call.range, entry);
    if (outcome.error !== undefined && outcome.error !== "") takeError(outcome.error, of, entry);
    else if (of !== undefined) settleErrors(of);
  }

  function takeCommand(
    command: string,
    entry: number,
    { state, exitCode, report }: ReturnType<typeof outcomeOf>,
  ): void {
    const known = commands.get(command);
    const next: CommandEvidence = {
      command,
      runs: (known?.runs ?? 0) + 1,
      mentions: known?.mentions ?? 0,
      entry,
      state,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(report === undefined ? {} : { report }),
      round,
      weight: thousandths(WEIGHTS.used + decayed(known, round)),
    };
    put(commands, command, next, LIMITS.commands, ({ runs, mentions }) => runs + mentions > 1);
  }

  function takeFile({ path, access }: NonNullable<OpenCall["file"]>, range: OpenCall["range"], entry: number): void {
    const known = files.get(path);
    const next: FileEvidence = {
      path,
      reads: (known?.reads ?? 0) + (access === "read" ? 1 : 0),
      edits: (known?.edits ?? 0) + (access === "edit" ? 1 : 0),
      ...(known?.readEntry === undefined ? {} : { readEntry: known.readEntry }),
      ...(known?.editEntry === undefined ? {} : { editEntry: known.editEntry }),
      ...(access === "read" ? { readEntry: entry } : { editEntry: entry }),
      ranges: range === undefined ? (known?.ranges ?? []) : addRange(known?.ranges ?? [], range),
      round,
      weight: thousandths(WEIGHTS[access] + decayed(known, round)),
    };
    put(files, path, next, LIMITS.files, ({ reads, edits }) => reads + edits > 1);
  }

  function takeError(text: string, of: string | undefined, entry: number): void {
    const known = errors.get(text);
    const times = (known?.times ?? 0) + 1;
    const next: ErrorEvidence = { text, entry, times, state: "open", round, ...(of === undefined ? {} : { of }) };
    put(errors, text, next, LIMITS.errors, (error) => error.times > 1);
  }

  /** Commands and errors that the model speaks of are in use like any name. */
  function takeMentions(text: string): void {
    for (const command of commands.values()) {
      if (command.round >= round || !text.includes(command.command)) continue;
      const weight = thousandths(WEIGHTS.used + decayed(command, round));
      commands.set(command.command, { ...command, mentions: command.mentions + 1, round, weight });
    }
    for (const error of errors.values()) {
      if (error.round >= round || !text.includes(error.text.split("\n")[0]!)) continue;
      errors.set(error.text, { ...error, times: error.times + 1, round });
    }
  }

  /** What had failed has gone well since. */
  function settleErrors(of: string): void {
    for (const error of errors.values()) {
      if (error.of === of && error.state === "open") errors.set(error.text, { ...error, state: "over" });
    }
  }

  function takeUser(text: string, entry: number): void {
    takeFacts(text, entry, "user");
    for (const rule of findRules(text)) {
      put<RuleEvidence>(rules, rule, { text: rule, entry }, LIMITS.rules, ({ ofModel }) => ofModel === undefined);
    }
  }

  function takeMessage({ origin, blocks, responseId: id }: MessagePayload, entry: number): void {
    // What the engine or the host wrote proves nothing about the work, and a summary is what facts must not pass through.
    if (origin === "host" || origin === "summary") return;
    if (origin === "model" && (id === undefined || id !== responseId)) round++;
    if (origin === "model") responseId = id;
    for (const block of blocks) {
      if (block.kind === "tool_call") takeCall(block, entry);
      else if (block.kind === "tool_result") takeResult(block, entry);
      else if (block.kind !== "text") continue;
      else if (origin === "human") takeUser(block.text, entry);
      else if (origin === "model") takeWords(block.text, entry);
      else takeFacts(block.text, entry, "tool");
    }
  }

  return {
    take(read) {
      newest = read.sequence;
      if (read.kind === "message" && read.payload.audience !== "user") takeMessage(read.payload, read.sequence);
    },
    state: () => ({
      version: 1,
      newest,
      round,
      ...(responseId === undefined ? {} : { responseId }),
      files: [...files.values()],
      commands: [...commands.values()],
      errors: [...errors.values()],
      rules: [...rules.values()],
      facts: Array.from(facts.values(), storeFact),
      open: [...open.values()],
    }),
  };
}

/** Newest last. If there are too many, the oldest that does not count as used makes room, or else the oldest. */
function put<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  limit: number,
  isUsed: (value: Value) => boolean = () => false,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const [other, held] of map) if (!isUsed(held) && other !== key) return void map.delete(other);
  map.delete(map.keys().next().value!);
}

function someOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length <= FACTS_PER_ENTRY) return facts;
  return [...facts.slice(0, FACTS_PER_ENTRY / 2), ...facts.slice(-FACTS_PER_ENTRY / 2)];
}

/** One of them may have something else around it. */
function isSame(one: string, other: string): boolean {
  return Math.max(saidAgainShare(one, other), saidAgainShare(other, one)) >= SAME;
}

/** So that a stored state is short. */
function thousandths(weight: number): number {
  return Math.round(weight * 1_000) / 1_000;
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
