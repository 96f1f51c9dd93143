import type { Effect, ScreenEvent } from "./screen-event.ts";
import type { ScreenState } from "./state.ts";
import { update } from "./update.ts";

/** Holds the state of the screen, and notifies the drawing part of changes. */
export interface Screen {
  readonly state: () => ScreenState;
  emit(event: ScreenEvent): void;
  subscribe(listener: () => void): () => void;
  /** Notifies the listeners of pending changes now. */
  flush(): void;
  /** Sets who carries out effects. Those before the first call are carried out now. */
  perform(act: (effect: Effect) => void): void;
}

/** Answers arrive in thousands of pieces, so they are drawn in batches. Keys are drawn at once. */
const DRAW_AFTER_MS = 33;

export function createScreen(start: ScreenState): Screen {
  let state = start;
  const early: Effect[] = [];
  let act = (effect: Effect): void => void early.push(effect);
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const listener of listeners) listener();
  }

  return {
    state: () => state,
    emit(event) {
      const { state: next, effects } = update(state, event);
      if (next !== state) {
        state = next;
        if (event.kind === "key" || event.kind === "pasted" || event.kind === "resized") flush();
        else timer ??= setTimeout(flush, DRAW_AFTER_MS);
      }
      for (const effect of effects) act(effect);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flush,
    perform(next) {
      act = next;
      for (const effect of early.splice(0)) act(effect);
    },
  };
}
