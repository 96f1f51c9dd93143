import type { ScreenState } from "../state.ts";
import { depthOf } from "./dialog-state.ts";

/**
 * How long a dialog stands, without a key, before keys answer it. A person who types does not see at once that a question has
 * come: what they type is meant for the prompt.
 */
export const SETTLE_MS = 400;

/** Whether keys are for the dialog: it has been drawn, and then nothing was typed for a while. */
export function isAnswerable({ dialogs: [dialog], standing, nowMs }: ScreenState): boolean {
  if (dialog === undefined || standing === undefined) return false;
  const isSame = standing.id === dialog.id && standing.depth === depthOf(dialog);
  return isSame && nowMs - standing.sinceMs >= SETTLE_MS;
}
