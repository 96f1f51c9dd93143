import { PalimpsestError } from "palimpsest";
import { type FileCommand, type FileCommandOptions, runFileCommand } from "./file-commands.ts";
import type { Memory } from "./memory.ts";

/** One function for each command. A refused command throws, which SDKs pass on to the model as an error. */
export type FileFunctions = {
  readonly [Name in FileCommand["command"]]: (asked: Readonly<{ command: Name }>) => Promise<string>;
};

/** Thrown for a command that was refused. The message says why and what to do; it is written for the model. */
export class RefusedFileCommandError extends PalimpsestError {
  static readonly code = "refused-file-command";
  readonly code: string = RefusedFileCommandError.code;
}

/**
 * The commands on a memory as functions, for the memory tool of an SDK: `betaMemoryTool(fileFunctions(memory))`. Whatever the model
 * asks for is checked here: paths outside the folder, links, hidden characters, secrets and sizes are refused.
 */
export function fileFunctions(memory: Memory, options: FileCommandOptions = {}): FileFunctions {
  const run = async (asked: unknown): Promise<string> => {
    const { kind, text } = await runFileCommand(memory, asked, options);
    if (kind === "refused") throw new RefusedFileCommandError(text);
    return text;
  };
  return { view: run, create: run, str_replace: run, insert: run, delete: run, rename: run };
}
