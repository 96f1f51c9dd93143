import type { Key } from "./key.ts";
import { type Step, step } from "./screen-event.ts";
import type { QueuedInput, ScreenState } from "./state.ts";

/** What waits, after a change. The chosen one stays chosen as long as it waits. */
export function withQueue(state: ScreenState, queued: readonly QueuedInput[]): ScreenState {
  const { queueAt, ...rest } = state;
  const isThere = queued.some(({ id }) => id === queueAt);
  return { ...rest, queued, ...(isThere && queueAt !== undefined ? { queueAt } : {}) };
}

/** Chooses the newest of what waits, or nothing if nothing does. */
export function enterQueue(state: ScreenState): ScreenState | undefined {
  const newest = state.queued.at(-1);
  return newest && { ...state, queueAt: newest.id };
}

/** Handles a key while one of the waiting messages is chosen. Undefined: the key is for the prompt, and none is chosen any more. */
export function updateQueue(state: ScreenState, key: Key): Step | undefined {
  const { queued, queueAt: id } = state;
  const at = queued.findIndex((one) => one.id === id);
  if (id === undefined || at < 0) return undefined;
  const by = key.name === "up" ? -1 : key.name === "down" ? 1 : undefined;
  if (by !== undefined && key.held !== "nothing") return step(state, { kind: "move-queued", id, by });
  const next = by === undefined ? undefined : queued[at + by];
  if (next !== undefined) return step({ ...state, queueAt: next.id });
  switch (key.name) {
    case "up":
      return step(state);
    case "return":
      return step(state, { kind: "withdraw", id, to: "prompt" });
    case "backspace":
    case "delete":
      return step(state, { kind: "withdraw", id, to: "nowhere" });
    default:
      return undefined;
  }
}
