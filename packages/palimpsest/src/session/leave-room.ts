import { headOf } from "../text.ts";

/** A text has a third as many tokens as characters mostly, and rarely as many: this is a twelfth of the window, and a quarter at most. */
const CHARACTERS_PER_WINDOW_TOKEN = 0.25;

export interface RoomyText {
  readonly text: string;
  /** What is told if it is not all of it. */
  readonly cut?: string;
}

/** Words of hooks and instructions come again with every compaction. The part of them that leaves room for the conversation. */
export function leaveRoom(text: string, windowTokens: number): RoomyText {
  const shown = headOf(text, Math.floor(windowTokens * CHARACTERS_PER_WINDOW_TOKEN));
  if (shown.length === text.length) return { text };
  const cut = `This text has ${text.length} characters. In a window of ${windowTokens} tokens the model reads the first ${shown.length}.`;
  return { text: `${shown}\n\n[${cut}]`, cut };
}
