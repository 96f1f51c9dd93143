import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { exportLog } from "palimpsest";
import type { LogReader } from "palimpsest/store-parts";
import { transcriptMarkdown } from "../../text/transcript-markdown.ts";
import { readTranscript } from "../../workspace/read-transcript.ts";
import type { ScreenCommand } from "./screen-command.ts";

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
