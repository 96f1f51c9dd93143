import type { Dialog, DialogAnswer } from "../../extension/slash-command.ts";
import type { Screen } from "../screen.ts";

/** Questions on the screen that wait for the user. */
export interface Dialogs {
  /** @param signal takes the question back: it counts as left */
  ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer>;
  /** What the user said to the question of this number; nothing happens if nobody waits for it any more. */
  answer(id: number, answer: DialogAnswer): void;
}

export function createDialogs(emit: Screen["emit"]): Dialogs {
  const waiting = new Map<number, (answer: DialogAnswer) => void>();
  let lastDialog = 0;
  return {
    ask(dialog, signal) {
      const id = ++lastDialog;
      return new Promise((resolve) => {
        const onAbort = (): void => {
          emit({ kind: "unasked", id });
          answer({ kind: "left" });
        };
        function answer(given: DialogAnswer): void {
          signal?.removeEventListener("abort", onAbort);
          waiting.delete(id);
          resolve(given);
        }
        waiting.set(id, answer);
        signal?.addEventListener("abort", onAbort);
        emit({ kind: "asked", id, dialog });
        if (signal?.aborted === true) onAbort();
      });
    },
    answer: (id, answer) => waiting.get(id)?.(answer),
  };
}
