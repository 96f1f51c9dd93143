import { win32 } from "node:path";
import type { Environment } from "./command-environment.ts";

/** What differs between operating systems in how programs are found, started and ended. */
export interface System {
  /** The files that a program of this name may be, in a folder of PATH. */
  readonly programFiles: (name: string) => readonly string[];
  /** Folders of PATH that have programs of the same names for another system. */
  readonly isForeign: (folder: string) => boolean;
  /** Bash, where PATH has none. */
  readonly usualShell: (environment: Environment) => string;
  /** The editor, if neither VISUAL nor EDITOR names one. */
  readonly usualEditor: string;
  /** The program and arguments that open a file in an editor, whose words may have arguments. */
  readonly editorLine: (editor: string, file: string) => readonly [program: string, ...args: string[]];
  /** The command that ends a process with all that it started; undefined: a signal to its group does. */
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

/** With Git for Windows, which has bash. */
const WINDOWS: System = {
  programFiles: (name) => [`${name}.exe`, `${name}.cmd`],
  // bash.exe of System32 starts the Linux of WSL, which has other paths.
  isForeign: (folder) => /[\\/](system32|windowsapps)[\\/]?$/i.test(folder),
  usualShell: (environment) => win32.join(environment["ProgramFiles"] ?? "C:\\Program Files", "Git", "bin", "bash.exe"),
  usualEditor: "notepad",
  // A file name has no quotes on Windows.
  editorLine: (editor, file) => ["cmd.exe", "/d", "/s", "/c", `"${editor} "${file}""`],
  endTree: (pid) => ["taskkill", "/pid", String(pid), "/t", "/f"],
};

/** The operating system. @param platform as Node names it */
export function systemOf(platform: NodeJS.Platform = process.platform): System {
  return platform === "win32" ? WINDOWS : POSIX;
}
