import type { WriteOutcome } from "@palimpsest/memory";

/** What came of a change, in words. */
export function outcomeText(outcome: WriteOutcome): string {
  switch (outcome.kind) {
    case "written":
      return outcome.version === "none"
        ? `${outcome.slug} is forgotten. Its text is kept.`
        : `${outcome.slug} is kept.`;
    case "unchanged":
      return `${outcome.slug} says that already.`;
    case "proposed":
      return `${outcome.slug} waits in the inbox: ${outcome.why}`;
    case "stale":
      return `${outcome.slug} is there already, or was changed since. Nothing was written.`;
    case "refused":
      return `Nothing was written: ${outcome.why}`;
  }
}
