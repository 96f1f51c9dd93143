import type { BatchOutcome } from "../batch.ts";

/** How a run ended. `held`: it would change so much that the user must approve; `lost`: another process has taken over. */
export type DreamOutcome =
  | Extract<BatchOutcome, { readonly kind: "written" | "unchanged" | "stale" | "held" }>
  | { readonly kind: "failed" | "killed" | "lost"; readonly why: string };

/** One round of a run: the model's text, and the tools that it used. */
export interface DreamTurn {
  readonly text: string;
  readonly calls: readonly string[];
}

/** A run as users see it: a background task. */
export interface DreamState {
  readonly status: "running" | "completed" | "held" | "failed" | "killed";
  /** `updating` from the first change on. */
  readonly phase: "starting" | "updating";
  readonly startedAtMs: number;
  readonly toolCalls: number;
  /** Topics that were touched. */
  readonly topics: readonly string[];
  /** The last 30. */
  readonly turns: readonly DreamTurn[];
  readonly outcome?: DreamOutcome;
}

/** A dream that runs. `kill` ends it without a change. */
export interface DreamTask {
  state(): DreamState;
  /** Notifies the listener of every change. Returns a function that stops this. */
  listen(listener: (state: DreamState) => void): () => void;
  kill(): void;
  readonly done: Promise<DreamOutcome>;
}

const TURNS_KEPT = 30;

/** The internal state of a run, and its listeners. */
export interface OwnDreamState extends Pick<DreamTask, "state" | "listen"> {
  touched(slug: string): void;
  turn(turn: DreamTurn): void;
  end(outcome: DreamOutcome): void;
}

export function createDreamState(startedAtMs: number): OwnDreamState {
  const listeners = new Set<(state: DreamState) => void>();
  let state: DreamState = {
    status: "running",
    phase: "starting",
    startedAtMs,
    toolCalls: 0,
    topics: [],
    turns: [],
  };
  function change(next: Partial<DreamState>): void {
    state = { ...state, ...next };
    for (const listener of listeners) listener(state);
  }
  return {
    state: () => state,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    touched(slug) {
      change({ phase: "updating", topics: [...new Set([...state.topics, slug])] });
    },
    turn(turn) {
      const turns = [...state.turns, turn].slice(-TURNS_KEPT);
      change({ turns, toolCalls: state.toolCalls + turn.calls.length });
    },
    end(outcome) {
      change({ status: statusOf(outcome), outcome });
    },
  };
}

function statusOf({ kind }: DreamOutcome): DreamState["status"] {
  if (kind === "killed" || kind === "held") return kind;
  return kind === "written" || kind === "unchanged" ? "completed" : "failed";
}
