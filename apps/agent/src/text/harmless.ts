import { createEscapeFilter } from "./escape-filter.ts";

/** Removes escape sequences, so that output of a model, a file or a command cannot move the cursor or rename the window. */
export function harmless(text: string): string {
  const filter = createEscapeFilter();
  return filter.push(text) + filter.end();
}
