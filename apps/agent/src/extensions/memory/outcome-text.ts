import type { WriteOutcome } from "@palimpsest/memory";

/** Describes the outcome of a change to the memory. */
export function outcomeText(outcome: WriteOutcome): string {
  switch (outcome.kind) {
    case "written":
      return outcome.version === "none"
        ? `Forgot ${outcome.slug}. Its text stays in the history.`
        : `Saved ${outcome.slug}.`;
    case "unchanged":
      return `Nothing changed: ${outcome.slug} already says that.`;
    case "proposed":
      return `${outcome.slug} waits in the inbox for the user's approval: ${outcome.why}`;
    case "stale":
      return `Nothing was written: ${outcome.slug} exists already, or was changed since.`;
    case "refused":
      return `Nothing was written: ${outcome.why}`;
  }
}
