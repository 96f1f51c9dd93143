import type { QueryEvent, QueryOutcome } from "palimpsest";
import { OUTCOME_UNKNOWN, problemOf, waitingText } from "../commands/stream/turn-report.ts";
import { retryWords } from "../commands/text/provider-words.ts";
import { type Look, plainLines } from "../text/line.ts";
import { endMarkdown, isBetweenBlocks, type MarkdownBlock, readMarkdown } from "../text/markdown.ts";
import { usd } from "../text/table.ts";
import { cleanText } from "../text/visible-text.ts";
import {
  type Item,
  NO_ANSWER,
  type OpenAnswer,
  type RunningTool,
  type ScreenState,
  type Todo,
  type ToolItem,
  type Turn,
} from "./state.ts";

/** An unfinished line is cut at this length, since it is drawn with every frame. */
const LONGEST_OPEN_CHARACTERS = 2_000;

export function startTurn(state: ScreenState, said: readonly string[]): ScreenState {
  const turn: Turn = {
    startedAtMs: state.nowMs,
    phase: "Waiting for the model",
    state: "running",
    answer: NO_ANSWER,
    receivedCharacters: 0,
    tools: [],
    held: [],
  };
  return { ...withItems(state, said.map(youItem)), turn };
}

/** Applies an event of a turn. Finished lines and tool calls become items; the rest stays in the live part. */
export function updateTurn(state: ScreenState, event: QueryEvent): ScreenState {
  const { turn } = state;
  if (turn === undefined) return state;
  const inPhase = (phase: string): ScreenState => ({ ...state, turn: { ...turn, phase } });
  switch (event.kind) {
    case "request-started":
      return inPhase(event.tries === 1 ? "Waiting for the model" : `Retrying (try ${event.tries})`);
    case "request-waiting":
      return inPhase(`${event.message}. Its turn comes in ${Math.ceil(event.waitMs / 1_000)} s`);
    case "text":
      return say(state, turn, event.text);
    case "thinking":
      return received(state, turn, "Thinking", event.text.length);
    case "tool_call":
      return finishAnswer(inPhase(`Writing a tool call (${event.name})`));
    case "tool_input":
      return received(state, turn, turn.phase, event.text.length);
    case "retry-waiting":
      return breakOff(inPhase(retryWords(event)));
    case "response":
      return respond(state, turn, event.response.text);
    case "tool-started":
      return startTool(state, turn, event);
    case "tool-ended":
      return endTool(state, turn, event);
    case "tool-waiting":
      return withItems(finishAnswer(state), [lines(waitingText(event.question), { color: "warning" })]);
    case "new-content-taken":
      return finishAnswer(state);
    case "notice":
      return withNotices(state, [lines(event.text, { color: "warning" })]);
    case "session-event":
      return state;
    case "turn-ended":
      return withItems(finishAnswer(state), endItems(event.outcome));
  }
}

/** Ends a turn: the rest of its live part becomes items. */
export function endTurn(state: ScreenState): ScreenState {
  const { turn, ...rest } = finishAnswer(state);
  const open = turn?.tools.map((tool) => toolItem(tool, "stopped")) ?? [];
  return withItems(rest, open);
}

/** What the user said meanwhile is part of the conversation now. */
export function takeQueued(state: ScreenState, said: readonly string[]): ScreenState {
  return withItems(finishAnswer(state), said.map(youItem));
}

/** Adds what nobody asked for: never in the middle of a paragraph, a list, a table or code. */
export function withNotices(state: ScreenState, items: readonly Item[]): ScreenState {
  const { turn } = state;
  if (turn === undefined || turn.answer.place === "between") return withItems(state, items);
  return { ...state, turn: { ...turn, held: [...turn.held, ...items] } };
}

function youItem(text: string): Item {
  return { kind: "you", text: cleanText(text) };
}

function lines(text: string, look: Look): Item {
  return { kind: "lines", lines: [[], ...plainLines(cleanText(text), look)] };
}

function withItems(state: ScreenState, items: readonly Item[]): ScreenState {
  return items.length === 0 ? state : { ...state, items: [...state.items, ...items] };
}

function received(state: ScreenState, turn: Turn, phase: string, characters: number): ScreenState {
  return { ...state, turn: { ...turn, phase, receivedCharacters: turn.receivedCharacters + characters } };
}

function say(state: ScreenState, turn: Turn, text: string): ScreenState {
  const { items, answer, held } = takeLines(turn.answer, text, turn.held);
  const receivedCharacters = turn.receivedCharacters + text.length;
  return withItems({ ...state, turn: { ...turn, phase: "Answering", answer, held, receivedCharacters } }, items);
}

interface TakenLines {
  readonly items: readonly Item[];
  readonly answer: OpenAnswer;
  readonly held: readonly Item[];
}

const EMPTY_LINE: Item = { kind: "lines", lines: [[]] };

/** Splits an answer into finished lines and the unfinished rest. Held notices stand between its blocks. */
function takeLines(before: OpenAnswer, text: string, waiting: readonly Item[]): TakenLines {
  const pieces = (before.pending + text).split("\n");
  let pending = pieces.pop()!;
  if (pending.length > LONGEST_OPEN_CHARACTERS) {
    const at = pending.lastIndexOf(" ");
    const end = at > 0 ? at + 1 : pending.length;
    pieces.push(pending.slice(0, end));
    pending = pending.slice(end);
  }
  let { markdown, lines: count, place } = before;
  let held = waiting;
  const items = pieces.flatMap((piece): readonly Item[] => {
    // Empty lines at the start of an answer are left out.
    if (count === 0 && piece.trim() === "") return [];
    const { blocks, state } = readMarkdown(cleanText(piece), markdown);
    markdown = state;
    place = isBetweenBlocks(piece, state) ? "between" : "inside";
    const shown = answerItems(blocks, count);
    count += blocks.length;
    if (place === "inside" || held.length === 0) return shown;
    const between = [...shown, ...held, EMPTY_LINE];
    held = [];
    return between;
  });
  return { items, answer: { pending, markdown, place, lines: count }, held };
}

function answerItems(blocks: readonly MarkdownBlock[], before: number): readonly Item[] {
  return blocks.map((block, index) => ({ kind: "answer", block, first: before + index === 0 }));
}

function finishAnswer(state: ScreenState): ScreenState {
  const { turn } = state;
  if (turn === undefined) return state;
  const { items, answer, held } = takeLines(turn.answer, turn.answer.pending === "" ? "" : "\n", turn.held);
  const rest = answerItems(endMarkdown(answer.markdown), answer.lines);
  const next = { ...state, turn: { ...turn, answer: NO_ANSWER, held: [] } };
  return withItems(next, [...items, ...rest, ...held]);
}

/** The stream broke, so its text is void. Lines in the scrollback cannot be removed, so a message says it. */
function breakOff(state: ScreenState): ScreenState {
  const { answer, held } = state.turn!;
  const rest = { ...state, turn: { ...state.turn!, answer: NO_ANSWER, held: [] } };
  if (answer.lines === 0) return withItems(rest, held);
  const broken = lines("The connection broke here. The model starts its answer again.", { color: "warning" });
  return withItems(rest, [broken, ...held]);
}

function respond(state: ScreenState, turn: Turn, text: string): ScreenState {
  const isNew = turn.answer.pending === "" && turn.answer.lines === 0;
  const wasStreamed = !isNew || turn.receivedCharacters > 0;
  const shown = wasStreamed || text === "" ? state : say(state, turn, text);
  const finished = finishAnswer(shown);
  return { ...finished, turn: { ...finished.turn!, phase: "Working" } };
}

function startTool(
  state: ScreenState,
  turn: Turn,
  { call, input }: Extract<QueryEvent, { kind: "tool-started" }>,
): ScreenState {
  const tool: RunningTool = { callId: call.id, name: call.name, input, startedAtMs: state.nowMs, tail: "" };
  const finished = finishAnswer({ ...state, turn: { ...turn, phase: "Working", tools: [...turn.tools, tool] } });
  return call.name === "Todo" ? { ...finished, todos: todosOf(input) } : finished;
}

function endTool(
  state: ScreenState,
  turn: Turn,
  { call, status, how }: Extract<QueryEvent, { kind: "tool-ended" }>,
): ScreenState {
  const tool = turn.tools.find(({ callId }) => callId === call.id) ?? {
    callId: call.id,
    name: call.name,
    input: call.input,
    startedAtMs: state.nowMs,
    tail: "",
  };
  const tools = turn.tools.filter((one) => one !== tool);
  const outcome = how === "denied" ? "denied" : how === "aborted" || how === "not-run" ? "stopped" : status;
  const isSilent = tool.result === undefined && outcome === "error";
  const said = isSilent ? [how === "unknown" ? OUTCOME_UNKNOWN : `The tool did not run: ${how}.`] : [];
  const item = toolItem({ ...tool, ...(said.length === 0 ? {} : { result: said[0]! }) }, outcome);
  return withItems({ ...state, turn: { ...turn, tools } }, call.name === "Todo" && outcome === "ok" ? [] : [item]);
}

function toolItem(tool: RunningTool, outcome: ToolItem["outcome"]): ToolItem {
  const { name, input, result, resultLines, tail, diff } = tool;
  const output = cleanText(result ?? tail).trimEnd();
  const outputLines = Math.max(resultLines ?? 0, output === "" ? 0 : output.split("\n").length);
  return { kind: "tool", name, input, outcome, output, outputLines, diff };
}

function todosOf(input: unknown): readonly Todo[] {
  const { todos } = (input ?? {}) as { readonly todos?: unknown };
  const list = Array.isArray(todos) ? (todos as readonly Todo[]) : [];
  return list.every(({ state }) => state === "done") ? [] : list;
}

function endItems(outcome: QueryOutcome): readonly Item[] {
  if (outcome.kind === "aborted") {
    const { estimatedUsd = 0 } = outcome.usage;
    const price = estimatedUsd > 0 ? ` The interrupted answer cost about ${usd(estimatedUsd)}.` : "";
    return [lines(`Stopped. Everything so far is kept.${price}`, { color: "warning" })];
  }
  const problem = problemOf(outcome, "terminal");
  return problem === undefined ? [] : [lines(problem, { color: outcome.kind === "done" ? "warning" : "bad" })];
}
