import { win32 } from "node:path";
import type { Environment } from "./command-environment.ts";

/** The differences between operating systems in how programs are found, started and ended. */
export interface System {
  /** The possible file names of a program in a folder of PATH. */
  readonly programFiles: (name: string) => readonly string[];
  /** Whether a folder of PATH contains programs of the same names for another system. */
  readonly isForeign: (folder: string) => boolean;
  /** The path of bash if PATH does not contain bash. */
  readonly usualShell: (environment: Environment) => string;
  /** The editor if neither VISUAL nor EDITOR names an editor. */
  readonly usualEditor: string;
  /** The program and arguments that open a file in an editor. The editor may include arguments. */
  readonly editorLine: (editor: string, file: string) => readonly [program: string, ...args: string[]];
  /** The command that ends a process and its children. Undefined if a signal to the process group ends them. */
  readonly endTree: (pid: number) => readonly [program: string, ...args: string[]] | undefined;
}

const POSIX: System = {
  programFiles: (name) => [name],
  isForeign: () => false,
  usualShell: () => "/bin/bash",
  usualEditor: "vi",
  editorLine: (editor, file) => ["/bin/sh", "-c", `${editor} "$1"`, "sh", file],
  endTree: () => undefined,
};

/** Windows, with the bash of Git for Windows. */
const WINDOWS: System = {
  programFiles: (name) => [`${name}.exe`, `${name}.cmd`],
  // System32's bash.exe starts the Linux of WSL, which uses other paths.
  isForeign: (folder) => /[\\/](system32|windowsapps)[\\/]?$/i.test(folder),
  usualShell: (environment) => win32.join(environment["ProgramFiles"] ?? "C:\\Program Files", "Git", "bin", "bash.exe"),
  usualEditor: "notepad",
  // On Windows, a file name cannot contain quotes.
  editorLine: (editor, file) => ["cmd.exe", "/d", "/s", "/c", `"${editor} "${file}""`],
  endTree: (pid) => ["taskkill", "/pid", String(pid), "/t", "/f"],
};

/** The properties of an operating system. @param platform a platform name of Node */
export function systemOf(platform: NodeJS.Platform = process.platform): System {
  return platform === "win32" ? WINDOWS : POSIX;
}
