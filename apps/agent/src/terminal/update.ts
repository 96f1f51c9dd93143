import type { SessionEvent } from "palimpsest";
import type { EventOwner } from "../agent/agent.ts";
import { noticeOf } from "../commands/text/notice-text.ts";
import { plainLines } from "../text/line.ts";
import { cleanText } from "../text/visible-text.ts";
import { charactersOf } from "../text/width.ts";
import {
  asSeen,
  type DialogState,
  type DialogView,
  isTyping,
  openDialog,
  rewrapDialog,
  type,
  updateDialog,
} from "./dialogs/dialog-state.ts";
import { isAnswerable, layDialogOut } from "./dialogs/view-dialog.ts";
import { editorOf, editorText, insertText, type Key } from "./prompt/editor.ts";
import { asTyped, toPaste } from "./prompt/pastes.ts";
import { asNamedImage, updatePrompt, withQueue } from "./prompt/update-prompt.ts";
import { type Effect, type ScreenEvent, type Step, step } from "./screen-event.ts";
import type { RunningTool, ScreenState } from "./state.ts";
import { updateTranscript } from "./transcript/transcript-state.ts";
import { takeQueued, updateTurn, withNotices } from "./update-turn.ts";
import { above, isIdle, updateWork } from "./update-work.ts";

const SHOWN_TAIL_CHARACTERS = 2_000;

/** Computes the next state of the screen and its effects. Pure: it has no clock, no session and no terminal. */
export function update(state: ScreenState, event: ScreenEvent): Step {
  switch (event.kind) {
    case "key":
      return updateKeys(atTime(state, event.atMs), event.key);
    case "pasted":
      return step(paste(atTime(state, event.atMs), event.text));
    case "resized":
      return step(resizeDialogs({ ...state, columns: event.columns, rows: event.rows }, state));
    case "tick":
      return step(atTime(state, event.nowMs));
    case "query":
      return step(updateTurn(state, event.event));
    case "session":
      return event.owner === undefined
        ? step(updateSession(state, event.event), ...effectsOf(state, event.event))
        : step(withNotice(state, event.event, event.owner));
    case "stop-requested":
      return step(state, { kind: "stop" });
    case "changed":
      return step(state, { kind: "read-status" });
    case "tool-output":
      return step(
        withTool(state, event.callId, (tool) => ({
          ...tool,
          tail: (tool.tail + event.text).slice(-SHOWN_TAIL_CHARACTERS),
        })),
      );
    case "tool-result":
      return step(
        withTool(state, event.callId, (tool) => {
          const { text: result, lines: resultLines, diff } = event;
          return { ...tool, result, resultLines, ...(diff === undefined ? {} : { diff }) };
        }),
      );
    case "hook":
      return step({ ...state, hooks: hooksAfter(state.hooks, event) });
    case "queue":
      return step(withQueue(state, event.queued));
    case "taken":
      return step(takeQueued(state, event.said));
    case "noticed":
      return step(withNotices(state, event.items));
    case "printed":
      return step({ ...state, items: [...state.items, ...event.items] });
    case "commands":
      return step({ ...state, commands: event.commands });
    case "status":
      return step({ ...state, status: event.status, background: event.background });
    case "asked":
      return step({ ...state, dialogs: [...state.dialogs, openDialog(event.id, event.dialog, state.columns)] });
    case "dialog-drawn":
      return step({
        ...atTime(state, event.atMs),
        standing: { id: event.id, depth: event.depth, sinceMs: event.atMs },
      });
    case "unasked":
      return step({ ...state, dialogs: state.dialogs.filter(({ id }) => id !== event.id) });
    case "progressed":
      return step({ ...state, activity: event.with });
    case "transcript-requested":
      return step(state, { kind: "open-transcript" });
    case "transcript-read":
      return step(readTranscript(state, event));
    case "files-found":
      return step({ ...state, files: event.files });
    case "prompted":
      return step({ ...state, editor: editorOf(event.place === "above" ? above(event.text, state) : event.text) });
    case "cleared":
      return step({ ...state, todos: [] });
    default:
      return updateWork(state, event);
  }
}

/** The effects of an event of the session. */
function effectsOf(state: ScreenState, event: SessionEvent): readonly Effect[] {
  if (event.kind === "compaction-ended" && event.outcome.kind === "compacted") return [{ kind: "show-boundary" }];
  // A message of the user can wake a teammate between two turns: its report is awaited, too.
  if (event.kind === "agent-changed" && event.status === "running" && isIdle(state)) return [{ kind: "await-agents" }];
  return [];
}

/** Letters that came at once are keys of their own in the transcript; elsewhere they are text. */
function updateKeys(state: ScreenState, key: Key): Step {
  if (state.transcript === undefined || key.name !== "text") return updateKey(state, key);
  return charactersOf(key.text).reduce<Step>((before, text) => {
    const next = updateKey(before.state, { ...key, text });
    return step(next.state, ...before.effects, ...next.effects);
  }, step(state));
}

function updateKey(state: ScreenState, key: Key): Step {
  if (state.transcript !== undefined) return updateFullScreen(state, key);
  if (state.dialogs.length > 0) return updateAsked(state, key);
  return isPasted(key) ? step(paste(state, key.text)) : updatePrompt(state, key);
}

/** Not all terminals mark pastes. Nobody types several lines, or so many letters, at once. */
function isPasted({ name, came, text }: Key): boolean {
  return name === "text" && came === "together" && (text.includes("\n") || text.length > MAX_TOGETHER_CHARACTERS);
}

const MAX_TOGETHER_CHARACTERS = 200;

function updateFullScreen(state: ScreenState, key: Key): Step {
  const { transcript, ...rest } = state;
  const isToggle = key.held === "ctrl" && (key.text === "o" || key.text === "c");
  const next = isToggle ? ({ kind: "closed" } as const) : updateTranscript(transcript!, key);
  if (next.kind === "changed") return step({ ...state, transcript: next.state });
  if (next.kind === "undo") return step(state, { kind: "undo", boundary: next.boundary });
  return step(rest, { kind: "close-transcript" });
}

/** Opens the transcript. Keeps the position of an open one. */
function readTranscript(
  state: ScreenState,
  { entries, said }: Extract<ScreenEvent, { kind: "transcript-read" }>,
): ScreenState {
  const before = state.transcript;
  return {
    ...state,
    transcript: {
      ...(before ?? { line: 0, opened: [], search: { state: "none", words: "" } }),
      entries,
      at: before === undefined ? Math.max(0, entries.length - 1) : Math.min(before.at, entries.length - 1),
      ...(said === undefined ? {} : { said }),
    },
  };
}

/** Clocks are set back, too: then whatever stands on the screen stands there since now. */
function atTime(state: ScreenState, nowMs: number): ScreenState {
  const { standing } = state;
  if (standing === undefined || standing.sinceMs <= nowMs) return { ...state, nowMs };
  return { ...state, nowMs, standing: { ...standing, sinceMs: nowMs } };
}

/** Removes one run of a hook. A hook may run several times at once, for several tool calls. */
function hooksAfter(
  hooks: readonly string[],
  { name, state }: Extract<ScreenEvent, { kind: "hook" }>,
): readonly string[] {
  return state === "started" ? [...hooks, name] : hooks.toSpliced(hooks.indexOf(name), 1);
}

function withTool(state: ScreenState, callId: string, change: (tool: RunningTool) => RunningTool): ScreenState {
  if (state.turn === undefined) return state;
  const tools = state.turn.tools.map((tool) => (tool.callId === callId ? change(tool) : tool));
  return { ...state, turn: { ...state.turn, tools } };
}

/** Applies an event of the session, in a turn or between turns. */
function updateSession(state: ScreenState, event: SessionEvent): ScreenState {
  switch (event.kind) {
    case "compaction-started":
      return {
        ...state,
        compaction: { trigger: event.trigger, startedAtMs: state.nowMs, phase: "reading", receivedCharacters: 0 },
      };
    case "compaction-progressed":
      if (state.compaction === undefined) return state;
      return {
        ...state,
        compaction: {
          ...state.compaction,
          phase: event.phase,
          receivedCharacters: event.receivedCharacters ?? state.compaction.receivedCharacters,
        },
      };
    case "compaction-ended": {
      const { compaction, ...rest } = state;
      // A compaction has its own line in the scrollback, and /compact prints its own outcome.
      const { outcome } = event;
      const isAnswered = outcome.kind === "compacted" || compaction?.trigger === "manual";
      return isAnswered ? rest : withNotice(rest, event);
    }
    default:
      return withNotice(state, event);
  }
}

function withNotice(state: ScreenState, event: SessionEvent, owner?: EventOwner): ScreenState {
  const notice = noticeOf(event, "terminal", owner);
  if (notice === undefined) return state;
  const lines = plainLines(cleanText(notice.text), { color: notice.weight === "problem" ? "warning" : "quiet" });
  return withNotices(state, [{ kind: "lines", lines }]);
}

/** A key while a question stands on the screen: it is for the question, or still for the prompt. */
function updateAsked(state: ScreenState, key: Key): Step {
  const [dialog, ...others] = state.dialogs;
  // Letters that came at once are a paste, whatever the terminal says, and a return among them confirms nothing.
  if (key.came === "together") return step(key.name === "text" ? paste(state, key.text) : state);
  if (!isAnswerable(state)) {
    const { state: next, effects } = updatePrompt(state, key);
    return step(restarted(next), ...effects);
  }
  const isInterrupt = key.held === "ctrl" && key.text === "c";
  const meant: Key = isInterrupt ? { name: "escape", text: "", held: "nothing" } : key;
  const next = updateDialog(dialog!, meant, viewOf(dialog!, state));
  if ("id" in next) return step({ ...state, dialogs: [next, ...others] });
  return step({ ...state, dialogs: others }, { kind: "answer", id: dialog!.id, answer: next });
}

/** Pasted text goes where text is typed: into a field of the dialog, else to the prompt. It never answers. */
function paste(state: ScreenState, pasted: string): ScreenState {
  const text = cleanText(pasted.replaceAll(/\r\n?/g, "\n"));
  const [dialog, ...others] = state.dialogs;
  if (dialog !== undefined && isAnswerable(state) && isTyping(dialog)) {
    return { ...state, dialogs: [type(dialog, text), ...others] };
  }
  return restarted(toPrompt(state, text));
}

function toPrompt(state: ScreenState, text: string): ScreenState {
  const image = asNamedImage(text);
  const at = (inserted: string): ScreenState => ({ ...state, ...insertText(state.editor, state.edits, inserted) });
  if (image !== undefined) return at(`${image} `);
  if (text.trim() === "") return at(text);
  const typed = asTyped(text, editorText(state.editor));
  if (typed !== undefined) return at(typed);
  const paste = toPaste(text, state.pastes.length + 1);
  return { ...at(paste.word), pastes: [...state.pastes, paste] };
}

/** Dialogs on a screen of another size. What was read stays read. @param before the screen as it was */
function resizeDialogs(state: ScreenState, before: ScreenState): ScreenState {
  const dialogs = before.dialogs.map((dialog, index) =>
    rewrapDialog(index === 0 && isAnswerable(before) ? asSeen(dialog, viewOf(dialog, before)) : dialog, state.columns),
  );
  return { ...state, dialogs };
}

function viewOf(dialog: DialogState, state: ScreenState): DialogView {
  return { columns: state.columns, visible: layDialogOut(dialog, state).visible };
}

/** Somebody is typing: the question waits until they pause. */
function restarted(state: ScreenState): ScreenState {
  const { standing, nowMs } = state;
  return standing === undefined ? state : { ...state, standing: { ...standing, sinceMs: nowMs } };
}
