import type { Line, Look } from "../text/line.ts";
import type { Dialog, DialogAnswer } from "./dialog.ts";
import type { AgentSession } from "./open-agent-session.ts";

/** A command that the user types after a slash. */
export interface SlashCommand<Context = CommandContext> {
  readonly name: string;
  /** The arguments, shown after the name. @default none */
  readonly takes?: string;
  /** What the command does, in one line: imperative, lower case. */
  readonly about: string;
  /** Whether the command can run during a turn. @default "idle": it cannot, since it changes the session */
  readonly when?: "always" | "idle";
  open(context: Context): Promise<void>;
}

/** The functions that a slash command can use. */
export interface CommandContext {
  /** The words after the name. */
  readonly words: string;
  readonly session: AgentSession;
  /** The width of the screen, in characters. */
  readonly columns: number;
  print(lines: readonly Line[]): void;
  say(text: string, look?: Look): void;
  ask(dialog: Dialog): Promise<DialogAnswer>;
  /** Shows an activity until `work` is done. Escape aborts the signal. */
  during<Result>(what: string, work: (signal: AbortSignal, progress: Progress) => Promise<Result>): Promise<Result>;
  /** Runs a command of the command line, such as `memory list`, and prints its output. @param what the activity to show */
  runCommand(what: string, name: string, args: readonly string[]): Promise<void>;
  /** Puts a text into the prompt. */
  prompt(text: string): void;
  /** Sends a text to the model, as if the user had typed it. */
  submit(text: string): Promise<void>;
}

/** Updates the text of a running activity. */
export type Progress = (text: string) => void;
