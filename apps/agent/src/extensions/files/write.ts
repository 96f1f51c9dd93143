import { object, text } from "palimpsest/schema";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { loadFile } from "../../workspace/open-inside.ts";
import { type ChangePorts, changeFile, checkFresh, checkSaved } from "./change-file.ts";
import { refusalOf, shownEntry } from "./file-states.ts";
import { ambiguousMark, restoreHidden } from "./replace-text.ts";

/** Writes a whole file. An existing file must have been read completely, and the read must be in view. */
export function writeTool(ports: ChangePorts): AgentTool {
  const { guard, states } = ports;
  return agentTool({
    name: "Write",
    description:
      "Writes a file of the project as a whole: a new one, or over one that was read before. Folders on the way are made. " +
      "To change a part of a file use Edit.",
    inputSchema: object({
      file_path: text("Path of the file, absolute or from the project's folder."),
      content: text("All that the file is to contain."),
    }),
    concurrency: "alone",
    effect: "write",
    results: "clearable",
    touches: async ({ file_path }) => [file_path],
    async execute({ file_path, content }, { newestEntry }) {
      const located = await guard.locate(file_path);
      if (located.kind !== "inside") return failed(refusalOf(located, guard.roots));
      const before = await loadFile(located.path, located.root);
      if (before !== undefined) {
        const view = (await shownEntry(located.path, ports)) === undefined ? "gone" : "shown";
        const known = states.get(located.path);
        const stale = checkFresh({ path: file_path, known, now: before.facts, change: "whole", view });
        const refusal = stale ?? (await checkSaved(located.path, before, ports.editorText));
        if (refusal !== undefined) return failed(refusal);
      }
      const restored = restoreHidden(content, before?.bytes.toString("utf8") ?? "");
      if (restored.kind === "ambiguous") return failed(`${file_path} was not changed. ${ambiguousMark(restored.mark)}`);
      await changeFile({ ...located, before, content: restored.text, newestEntry }, ports);
      const lines = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
      const kept = restored.characters === 0 ? "" : ` ${restored.characters} hidden characters were kept.`;
      return done(`${before === undefined ? "Wrote the new file" : "Replaced"} ${file_path} (${lines} lines).${kept}`);
    },
  });
}
