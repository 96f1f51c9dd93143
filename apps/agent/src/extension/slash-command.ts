import type { Provider } from "palimpsest";
import type { Agent } from "../cli/open-agent.ts";
import type { Project } from "../cli/open-project.ts";
import type { Terminal } from "../cli/terminal.ts";
import type { Line, Look } from "../text/line.ts";
import type { Dialog, DialogAnswer } from "./dialog.ts";

/** What stands behind a word that begins with a slash. */
export interface SlashCommand {
  readonly name: string;
  /** Behind the name: what it takes. @default nothing */
  readonly takes?: string;
  /** In one line. */
  readonly about: string;
  /** Whether it can be used while the model works. @default "idle": it changes what the model is working on */
  readonly when?: "always" | "idle";
  open(context: CommandContext): Promise<void>;
}

/** What a command has of the program around it. */
export interface CommandContext {
  /** What stands behind the name. */
  readonly words: string;
  readonly agent: Agent;
  readonly project: Project;
  readonly provider: Provider;
  readonly terminal: Terminal;
  readonly model: () => string;
  readonly commands: readonly SlashCommand[];
  readonly columns: number;
  print(lines: readonly Line[]): void;
  say(text: string, look?: Look): void;
  ask(dialog: Dialog): Promise<DialogAnswer>;
  /** Shows that something goes on until it is over; Escape aborts the signal. */
  during<Result>(what: string, work: (signal: AbortSignal, progress: Progress) => Promise<Result>): Promise<Result>;
  openTranscript(): Promise<void>;
  /** Puts a text where the user types. */
  prompt(text: string): void;
  setModel(model: string): Promise<void>;
  /** Goes on with another session. @param id a new one if there is none */
  reopen(id?: string): Promise<void>;
  /** A turn without anything new. */
  goOn(): void;
  leave(): void;
}

/** Shows how far something is, in place of what was shown of it before. */
export type Progress = (text: string) => void;
