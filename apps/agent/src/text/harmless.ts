import { createEscapeFilter } from "./escape-filter.ts";

/** What a model, a file or a command said must not move the cursor or rename the window. */
export function harmless(text: string): string {
  const filter = createEscapeFilter();
  return filter.push(text) + filter.end();
}
