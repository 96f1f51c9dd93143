import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { exportLog } from "palimpsest";
import type { LogReader } from "palimpsest/store-parts";
import { readTranscript } from "../../workspace/read-transcript.ts";
import type { ScreenCommand } from "./screen-command.ts";

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

export const exportSession: ScreenCommand = {
  name: "export",
  takes: "[FILE]",
  about: "write the conversation to a file: .md, or .jsonl for programs",
  when: "always",
  async open({ words, agent: { session }, project, say }) {
    const path = resolve(project.folder, words === "" ? `conversation-${session.id.slice(0, 8)}.md` : words);
    const kind = extname(path);
    if (kind !== ".md" && kind !== ".jsonl") {
      return say(`The file must end with .md or .jsonl, not ${JSON.stringify(kind)}.`, { color: "warning" });
    }
    const log = (await project.store.openReader(session.id))!;
    const content = kind === ".md" ? transcriptMarkdown(await readTranscript(log)) : await logLines(log);
    try {
      // A file that is there is never overwritten.
      await writeFile(path, content, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return say(`${path} exists already. Name another file: /export FILE`, { color: "warning" });
    }
    const lines = content.split("\n").length - 1;
    say(`Wrote the conversation to ${path} (${lines.toLocaleString("en-US")} lines).`);
  },
};

async function logLines(log: LogReader): Promise<string> {
  const lines = await Array.fromAsync(exportLog(log));
  return lines.map((line) => `${line}\n`).join("");
}
