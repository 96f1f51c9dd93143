import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Terminal } from "../../commands/terminal.ts";
import { systemOf } from "../../workspace/system.ts";
import { findFiles } from "../prompt/attach-files.ts";
import type { EffectOf } from "../screen-event.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";

/** Lists the files of the project, for completion. */
export async function listFiles(
  _: Running,
  __: EffectOf<"find-files">,
  { emit, project }: HandlerPorts,
): Promise<void> {
  emit({ kind: "files-found", files: await findFiles(project.folder) });
}

/** Opens the text of the prompt in the user's editor. */
export async function editPrompt(
  _: Running,
  { text }: EffectOf<"edit-outside">,
  { emit, drawing, terminal, project }: HandlerPorts,
): Promise<void> {
  const { folder } = project;
  emit({ kind: "prompted", text: await drawing.suspend(() => editOutside(text, { ...terminal, folder })) });
}

/** Lets the user write a text in their own editor: VISUAL, EDITOR, or the system's. @returns the text that was saved */
async function editOutside(
  text: string,
  { environment, folder }: Pick<Terminal, "environment" | "folder">,
): Promise<string> {
  const editor = environment["VISUAL"] || environment["EDITOR"] || systemOf().usualEditor;
  // mkdtemp makes a folder that only this user can read.
  const own = await mkdtemp(join(tmpdir(), "palimpsest-message-"));
  const file = join(own, "message.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    await run(editor, file, { environment, folder });
    return (await readFile(file, "utf8")).replace(/\n+$/, "");
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** The variable may have arguments, so a shell reads it; the file is an argument of its own. */
function run(
  editor: string,
  file: string,
  { environment, folder }: Pick<Terminal, "environment" | "folder">,
): Promise<void> {
  const [program, ...args] = systemOf().editorLine(editor, file);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...environment },
      stdio: "inherit",
      windowsVerbatimArguments: true,
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `The editor (${editor}) ended with code ${code}. The message is unchanged. Set VISUAL or EDITOR to another editor.`,
          ),
        );
    });
  });
}
