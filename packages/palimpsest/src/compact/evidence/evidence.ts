import type { Part, ToolCall, ToolResult } from "../../log/block.ts";
import type { ReadEntry } from "../../log/draft.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { isUsersOwn } from "../../log/provenance.ts";
import { lazyPattern } from "../../log/search-text.ts";
import { type FileTouch, type LineRange, numberedLines, outcomeOf, readCall } from "./calls.ts";
import { createFacts, type FactSource, WEIGHTS } from "./facts.ts";
import { findDecisions, findRules } from "./find.ts";
import {
  addRange,
  type CommandEvidence,
  decayed,
  type ErrorEvidence,
  type Evidence,
  type FileEvidence,
  put,
  type RuleEvidence,
  readEvidence,
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

/**
 * Collects facts about a session from its log, without a model: files, commands and their outcomes, errors, the user's
 * decisions, and names and numbers that were used again. Continuing from a stored state gives the same result as starting from
 * the beginning. An invalid state counts as none.
 */
export function createEvidence(from?: unknown): EvidenceFold {
  const start = readEvidence(from);
  let { newest, round, responseId } = start;
  const files = new Map(start.files.map((file) => [file.path, file]));
  const commands = new Map(start.commands.map((command) => [command.command, command]));
  const errors = new Map(start.errors.map((error) => [error.text, error]));
  const rules = new Map(start.rules.map((rule) => [rule.text, rule]));
  const facts = createFacts(start.facts, start.lines);
  const open = new Map(start.open.map((call) => [call.id, call]));

  function takeFacts(text: string, entry: number, source: FactSource): void {
    facts.take(text, { entry, round, source });
  }

  function takeWords(text: string, entry: number): void {
    takeFacts(text, entry, "model");
    takeMentions(text);
    takeDecisions(text, entry);
  }

  /** A decision of the model counts like one of the user as long as it is mentioned. In other words it is the same decision. */
  function takeDecisions(text: string, entry: number): void {
    const found = findDecisions(text);
    for (const { ofModel, ...rule } of rules.values()) {
      if (ofModel === undefined || ofModel.round >= round || restatedShare(rule.text, text) < SAID_AGAIN) continue;
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
      const isContent = read.files?.some(({ access, path }) => access === "edit" && text !== path) === true;
      takeFacts(text, entry, isContent ? "file" : "model");
    }
    if (read.files === undefined && read.command === undefined) return;
    put(open, call.id, { id: call.id, ...read }, LIMITS.open);
  }

  function takeResult({ callId, content, status }: ToolResult, entry: number): void {
    const text = typeof content === "string" ? content : content.map(textOf).join("\n");
    const call = open.get(callId);
    open.delete(callId);
    takeFacts(text, entry, "tool");
    const outcome = outcomeOf(text, status, call?.command === undefined ? "other" : "command");
    const of = call?.command ?? call?.files?.[0]?.path;
    if (call?.command !== undefined) takeCommand({ ...call, command: call.command }, entry, outcome);
    if (outcome.state === "ok") for (const file of call?.files ?? []) takeFile(file, numberedLines(text), entry);
    if (outcome.error !== undefined && outcome.error !== "") takeError(outcome.error, of, entry);
    else if (of !== undefined) settleErrors(of);
  }

  function takeCommand(
    { command, asRun }: Pick<CommandEvidence, "command" | "asRun">,
    entry: number,
    { state, exitCode, report }: ReturnType<typeof outcomeOf>,
  ): void {
    const known = commands.get(command);
    const next: CommandEvidence = {
      command,
      asRun,
      runs: (known?.runs ?? 0) + 1,
      mentions: known?.mentions ?? 0,
      entry,
      state,
      exitCode,
      report,
      round,
      weight: thousandths(WEIGHTS.used + decayed(known, round)),
    };
    put(commands, command, next, LIMITS.commands, ({ runs, mentions }) => runs + mentions > 1);
  }

  function takeFile({ path, access, range, written }: FileTouch, numbered: LineRange | undefined, entry: number): void {
    const lines = numbered ?? range;
    const known = files.get(path);
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
      round,
      weight: thousandths(WEIGHTS[access] + decayed(known, round)),
    };
    put(files, path, next, LIMITS.files, ({ reads, edits }) => reads + edits > 1);
  }

  function takeError(text: string, of: string | undefined, entry: number): void {
    const known = errors.get(text);
    const times = (known?.times ?? 0) + 1;
    const next: ErrorEvidence = { text, entry, times, state: "open", round, of };
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

  /** A failed command has succeeded since. */
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

  function takeMessage(message: MessagePayload, entry: number): void {
    const { origin, blocks, responseId: id } = message;
    // Texts of the engine or the host say nothing about the work, and facts must not come from a summary.
    if (origin === "host" || origin === "summary") return;
    if (origin === "model" && (id === undefined || id !== responseId)) round++;
    if (origin === "model") responseId = id;
    for (const block of blocks) {
      if (block.kind === "tool_call") takeCall(block, entry);
      else if (block.kind === "tool_result") takeResult(block, entry);
      else if (block.kind !== "text") continue;
      else if (isUsersOwn(message)) takeUser(block.text, entry);
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
      responseId,
      files: [...files.values()],
      commands: [...commands.values()],
      errors: [...errors.values()],
      rules: [...rules.values()],
      facts: facts.stored(),
      lines: facts.lines(round),
      open: [...open.values()],
    }),
  };
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
