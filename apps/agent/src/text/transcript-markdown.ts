/** One message of a conversation, as far as a reader needs it. */
interface Shown {
  readonly who: string;
  readonly title: string;
  readonly text: string;
  readonly seen: "yes" | "compacted" | "taken-back";
}

/** Those whose words are written as they are. All other texts are data, and stand in fences. */
const SPEAKERS: Readonly<Record<string, string>> = { you: "You", model: "Model", summary: "Summary" };
const LEFT_OUT = new Set(["attached", "host"]);

/** Writes a conversation as Markdown: what was said, tool calls and results. What was rewound is left out. */
export function transcriptMarkdown(entries: readonly Shown[]): string {
  const shown = entries.filter(({ who, seen, text }) => seen !== "taken-back" && !LEFT_OUT.has(who) && text !== "");
  return shown.map((entry) => `## ${headingOf(entry)}\n\n${bodyOf(entry)}\n`).join("\n");
}

function headingOf({ who, title }: Shown): string {
  return SPEAKERS[who] ?? (title === "" ? who : title).replaceAll("\n", " ");
}

function bodyOf({ who, text }: Shown): string {
  if (who in SPEAKERS) return text.trim();
  // A fence that is longer than every one in the text.
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
