import type { SessionEvent } from "palimpsest";
import type { EventOwner } from "../agent/event-owner.ts";
import { noticeOf } from "../commands/text/notice-text.ts";
import { cleanText } from "../text/clean-text.ts";
import { plainLines } from "../text/line.ts";
import { charactersOf } from "../text/width.ts";
import { openDialog } from "./dialogs/dialog-state.ts";
import type { Key } from "./key.ts";
import { editorOf, editorText } from "./prompt/editor.ts";
import { updatePrompt } from "./prompt/update-prompt.ts";
import { type ScreenEvent, type Step, step } from "./screen-event.ts";
import type { RunningTool, ScreenState } from "./state.ts";
import { updateTranscript } from "./transcript/transcript-state.ts";
import { paste, resizeDialogs, updateAsked } from "./update-asked.ts";
import { withQueue } from "./update-queue.ts";
import { endTurn, startTurn, takeQueued, updateTurn, withNotices } from "./update-turn.ts";

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
    case "turn-started":
      return step(startTurn(state, event.said));
    case "query":
      return step(updateTurn(state, event.event));
    case "turn-over":
      return step(endTurn(state));
    case "session":
      return step(
        event.owner === undefined ? updateSession(state, event.event) : withNotice(state, event.event, event.owner),
      );
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
    case "busy":
      return step({ ...state, activity: event.with });
    case "free": {
      const { activity: _, ...rest } = state;
      return step(rest);
    }
    case "transcript-read":
      return step(readTranscript(state, event));
    case "files-found":
      return step({ ...state, files: event.files });
    case "prompted":
      return step({ ...state, editor: editorOf(event.place === "above" ? above(event.text, state) : event.text) });
    case "cleared":
      return step({ ...state, todos: [] });
  }
}

/** A text above what is being typed. */
function above(text: string, { editor }: ScreenState): string {
  return [text, editorText(editor)].filter(Boolean).join("\n\n");
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
  return state.dialogs.length === 0 ? updatePrompt(state, key) : updateAsked(state, key);
}

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
      const isAnswered =
        outcome.kind === "compacted" ? outcome.withoutSummary === undefined : compaction?.trigger === "manual";
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
