import type { Line, Look } from "../text/line.ts";
import type { Dialog, DialogAnswer } from "./dialog.ts";
import type { AgentSession } from "./open-agent-session.ts";

/** A command that the user types behind a slash. */
export interface SlashCommand<Context = CommandContext> {
  readonly name: string;
  /** The arguments, as shown behind the name. @default none */
  readonly takes?: string;
  /** In one line. */
  readonly about: string;
  /** Whether it can be used while the model works. @default "idle": it changes what the model is working on */
  readonly when?: "always" | "idle";
  open(context: Context): Promise<void>;
}

/** What a slash command can do. */
export interface CommandContext {
  /** The words behind the name. */
  readonly words: string;
  readonly session: AgentSession;
  /** The width of the screen, in characters. */
  readonly columns: number;
  print(lines: readonly Line[]): void;
  say(text: string, look?: Look): void;
  ask(dialog: Dialog): Promise<DialogAnswer>;
  /** Shows that something is running until it is done. Escape aborts the signal. */
  during<Result>(what: string, work: (signal: AbortSignal, progress: Progress) => Promise<Result>): Promise<Result>;
  /** Runs a command of the command line, such as `memory list`, and prints its output. @param what shown meanwhile */
  runCommand(what: string, name: string, args: readonly string[]): Promise<void>;
  /** Puts a text where the user types. */
  prompt(text: string): void;
  /** Sends a text to the model, as if the user had typed it. */
  submit(text: string): Promise<void>;
}

/** Replaces the text that is shown of something that is running. */
export type Progress = (text: string) => void;
