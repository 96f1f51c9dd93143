import { flag, object, optional, text } from "palimpsest/schema";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import { loadFile } from "../../workspace/open-inside.ts";
import { type ChangePorts, changeFile, checkFresh, checkSaved } from "./change-file.ts";
import { refusalOf } from "./file-states.ts";
import { replaceText } from "./replace-text.ts";

/** Replaces exact text in a file that was read and has not changed since. */
export function editTool(ports: ChangePorts): AgentTool {
  const { guard, states } = ports;
  return agentTool({
    name: "Edit",
    description:
      "Replaces text in a file of the project that was read before. The old text must stand there exactly, without the line numbers " +
      "of Read, and only once unless replace_all is set.",
    inputSchema: object({
      file_path: text("Path of the file, absolute or from the project's folder."),
      old_string: text("The text to replace, exactly as it stands in the file."),
      new_string: text("The text to put in its place."),
      replace_all: optional(flag("Replace every occurrence. Default false.")),
    }),
    concurrency: "alone",
    effect: "write",
    results: "clearable",
    touches: async ({ file_path }) => [file_path],
    async execute({ file_path, old_string, new_string, replace_all = false }, { newestEntry }) {
      const located = await guard.locate(file_path);
      if (located.kind !== "inside") return failed(refusalOf(located, guard.roots));
      const before = await loadFile(located.path, located.root);
      if (before === undefined)
        return failed(`There is no file ${located.path}. Find it with Glob, or make it with Write.`);
      // The edit names the text to replace, so the read can be out of view.
      const known = states.get(located.path);
      const stale = checkFresh({ path: file_path, known, now: before.facts, change: "part", view: "shown" });
      const refusal = stale ?? (await checkSaved(located.path, before, ports.editorText));
      if (refusal !== undefined) return failed(refusal);
      const content = before.bytes.toString("utf8");
      if (!Buffer.from(content).equals(before.bytes)) {
        return failed(
          `${file_path} is not valid UTF-8: editing it as text would damage the rest. Use a command that knows its encoding.`,
        );
      }
      const edit = { oldText: old_string, newText: new_string, occurrences: replace_all ? "all" : "unique" } as const;
      const edited = replaceText(content, edit);
      if (edited.kind === "refused") return failed(`${file_path} was not changed. ${edited.reason}`);
      await changeFile({ ...located, before, content: edited.content, newestEntry }, ports);
      const { lines } = edited;
      return done(
        lines.length === 1
          ? `Edited ${file_path} at line ${lines[0]}.`
          : `Edited ${file_path} in ${lines.length} places.`,
      );
    },
  });
}
