import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension, ToolSession } from "../../extension/extension.ts";
import type { ToolAccess } from "../../permissions/agent-tool.ts";
import { decidePermission } from "../../permissions/decide-permission.ts";
import { holdsInstructions, toPermissionCall } from "../../permissions/permission-call.ts";
import { loadFile } from "../../workspace/open-inside.ts";
import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import type { ChangePorts } from "./change-file.ts";
import { editTool } from "./edit.ts";
import type { FileStates } from "./file-states.ts";
import { readTool } from "./read.ts";
import type { OpenStoredResult } from "./stored-results.ts";
import { writeTool } from "./write.ts";

interface FilesOptions {
  /** Saves each file before a change. */
  readonly keepBefore: Checkpoints["keepBefore"];
  /** Opens the stored results that a session may read. */
  readonly openResult: (session: ToolSession) => OpenStoredResult;
}

type FilesContext = Pick<ExtensionContext, "guard" | "places" | "permissions" | "person">;

const READ: ToolAccess = { name: "Read", effect: "read" };

/** Adds the tools that read, write and edit files. Files that were read are rehydrated after a compaction. */
export function filesExtension(
  { guard, places, permissions, person }: FilesContext,
  { keepBefore, openResult }: FilesOptions,
): Extension {
  const mainStates: FileStates = new Map();
  return {
    name: "files",
    tools(tools) {
      const { session, kind, main } = tools;
      const shownReads = (): ReadonlyMap<string, number> => session.view.filesRead();
      const { editorText } = person ?? {};
      const editor = editorText === undefined ? {} : { editorText };
      const files: ChangePorts =
        kind === "main"
          ? { guard, shownReads, states: mainStates, keepBefore, ...editor }
          : {
              guard,
              shownReads,
              ...editor,
              // Each session edits only files that it has read itself. A fork starts with the session's reads.
              states: new Map(kind === "fork" ? mainStates : []),
              // An agent's changes are rewound with the main session, so they use its entry number.
              keepBefore: (change) => keepBefore({ ...change, entry: main.history.newestEntry }),
            };
      return [readTool({ ...files, openResult: openResult(tools) }), writeTool(files), editTool(files)];
    },
    surroundings: () => ({ readFile: (path) => readAllowed(path, { guard, places, permissions }) }),
  };
}

/** Reads a file for rehydration, if the permission rules allow it. Instruction files are shown again on their own. */
async function readAllowed(
  path: string,
  { guard, places, permissions: { mode, rules } }: FilesContext,
): Promise<string | undefined> {
  const call = await toPermissionCall(READ, { file_path: path }, { guard, home: places.home });
  const located = await guard.locate(path);
  if (located.kind !== "inside" || holdsInstructions(located.path)) return undefined;
  if (decidePermission(mode(), rules, call).decision !== "allow") return undefined;
  const file = await loadFile(located.path, located.root);
  return file?.bytes.includes(0) ? undefined : file?.bytes.toString("utf8");
}
