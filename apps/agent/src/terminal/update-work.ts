import { editorOf, editorText } from "./prompt/editor.ts";
import { type Effect, type ScreenEvent, type Step, step, type UserMessage } from "./screen-event.ts";
import type { ScreenState, WorkState } from "./state.ts";
import { endTurn, startTurn } from "./update-turn.ts";

/** An event about what runs: messages, turns, commands, and the session itself. */
type WorkEvent = Extract<
  ScreenEvent,
  {
    readonly kind:
      | "message"
      | "message-returned"
      | "compact-first"
      | "turn-requested"
      | "turn-started"
      | "turn-over"
      | "mail"
      | "agents-idle"
      | "command-entered"
      | "command-started"
      | "command-ended"
      | "busy"
      | "free"
      | "session-closing"
      | "session-opened";
  }
>;

/** Decides what starts, what waits, and what comes next. One turn runs at a time; commands that change the session wait for its end. */
export function updateWork(state: ScreenState, event: WorkEvent): Step {
  const { work } = state;
  switch (event.kind) {
    case "message":
      return isIdle(state) && work.message === "none"
        ? step(withWork(state, { message: "begins" }), { kind: "begin-turn", message: event.message })
        : step(state, { kind: "enqueue", input: event.message });
    case "message-returned":
      return goOn(withWork({ ...state, editor: editorOf(above(event.text, state)) }, { message: "none" }));
    case "compact-first":
      return step(state, { kind: "run-command", text: "/compact", message: event.message });
    case "turn-requested":
      return requestTurn(state, event.message);
    case "turn-started":
      return step(withWork(startTurn(state, event.said), { message: "none" }));
    case "turn-over":
      return afterTurn(endTurn(state));
    case "mail":
      // A running turn reads the mail itself.
      return isIdle(state) ? start(state) : step(state);
    case "agents-idle":
      if (!isIdle(state)) return step(state);
      return event.found === "waiting" ? start(state) : step(state, { kind: "read-status" });
    case "command-entered":
      return event.when === "always" || isIdle(state)
        ? step(state, { kind: "run-command", text: event.text })
        : step(state, { kind: "enqueue", input: { text: event.text } });
    case "command-started":
      return step(withWork(state, { commands: work.commands + 1 }));
    case "command-ended":
      return afterCommand(withWork(state, { commands: work.commands - 1 }), event);
    case "busy":
      return step(withWork({ ...state, activity: event.with }, { activities: work.activities + 1 }));
    case "free": {
      const { activity: _, ...rest } = state;
      return goOn(withWork(rest, { activities: work.activities - 1 }));
    }
    case "session-closing":
      return step(withWork(state, { session: "closing" }));
    case "session-opened":
      return step(
        withWork(state, { session: "open" }),
        { kind: "hear-mail" },
        ...(event.by === "start" ? [{ kind: "tour-next" } as const] : []),
      );
  }
}

/** Whether nothing runs that a change of the session could disturb. */
export function isIdle({ turn, work }: ScreenState): boolean {
  return turn === undefined && work.activities === 0;
}

/** A text above what is being typed. */
export function above(text: string, { editor }: ScreenState): string {
  return [text, editorText(editor)].filter(Boolean).join("\n\n");
}

function requestTurn(state: ScreenState, message: UserMessage | undefined): Step {
  if (isIdle(state)) return start(state, message);
  return message === undefined
    ? step(state)
    : step(withWork(state, { message: "none" }), { kind: "enqueue", input: message });
}

function start(state: ScreenState, message?: UserMessage): Step {
  if (state.work.session === "closing") return step(state);
  return step(state, { kind: "start-turn", ...(message === undefined ? {} : { message }) });
}

/** A message that waited for the end of the turn starts the next one. If nothing waits, the reports of agents are awaited. */
function afterTurn(state: ScreenState): Step {
  const [first] = state.queued;
  if (state.work.session === "closing") return step(state);
  const status: Effect = { kind: "read-status" };
  if (first !== undefined && first.kind === undefined) return step(state, { kind: "start-turn" }, status);
  const warm: Effect = { kind: "keep-warm" };
  if (first === undefined) return step(state, warm, { kind: "await-agents" }, { kind: "tour-next" });
  return step(state, status, warm, ...goOn(state).effects);
}

function afterCommand(
  state: ScreenState,
  { message, counts }: Extract<ScreenEvent, { readonly kind: "command-ended" }>,
): Step {
  if (message !== undefined) return requestTurn(state, message);
  const isStep = counts === "tour-step" && isIdle(state) && state.work.message === "none";
  return step(state, ...(isStep ? [{ kind: "tour-next" } as const] : []), ...goOn(state).effects);
}

/** Starts what waits, if nothing else runs. */
function goOn(state: ScreenState): Step {
  const { queued, work } = state;
  const [first] = queued;
  if (first === undefined || !isIdle(state) || work.commands > 0 || work.message === "begins") return step(state);
  return first.kind === "command"
    ? step(state, { kind: "run-command", text: first.text, from: "queue" })
    : start(state);
}

function withWork(state: ScreenState, change: Partial<WorkState>): ScreenState {
  return { ...state, work: { ...state.work, ...change } };
}
