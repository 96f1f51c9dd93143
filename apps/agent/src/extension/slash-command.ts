import type { Line, Look } from "../text/line.ts";
import type { AgentSession } from "./open-agent-session.ts";

/** A command that the user types after a slash. */
export interface SlashCommand<Context = CommandContext> {
  readonly name: string;
  /** The arguments, shown after the name. @default none */
  readonly takes?: string;
  /** What the command does, in one line: imperative, lower case. */
  readonly about: string;
  /** Whether the command can run during a turn. @default "idle": it cannot, because it changes the session */
  readonly when?: "always" | "idle";
  open(context: Context): Promise<void>;
}

/** The functions that a slash command can use. */
export interface CommandContext {
  /** The words after the command's name. */
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

/** A question to the person at the screen. Content that does not fit the screen can be scrolled. */
export interface Dialog {
  readonly title: string;
  /** Describes what the question is about. */
  readonly body: readonly Line[];
  /**
   * Content that the person must check character by character, such as a command, a change or fields. It follows the
   * body. @default none
   */
  readonly exact?: readonly ExactLine[];
  readonly options: readonly Option[];
  /** Whether one option or several can be chosen. @default "one" */
  readonly choose?: "one" | "several";
  /** The label of a free-text answer. @default no free-text answer */
  readonly words?: string;
  /** The initial text of the free-text answer. @default empty */
  readonly draft?: string;
  /** `searched`: typing filters the options. @default "all" */
  readonly shown?: "all" | "searched";
  /** What Escape does, as in "denies". @default "leaves" */
  readonly escapeDoes?: string;
}

/** A line in which every character counts. Wrapping drops no spaces, and only the first row has the lead. */
export interface ExactLine {
  /** The text before the line: a line number or the name of a field. */
  readonly lead: Line;
  readonly text: Line;
}

/** One option of a dialog. */
export interface Option {
  readonly value: string;
  readonly label: string;
  readonly about?: string;
  /** `all-seen`: the option can be chosen after the end of the body was on the screen. @default at once */
  readonly from?: "all-seen";
  /** A second question, whose answer replaces the option. Escape returns to the first question. @default none */
  readonly asks?: Dialog;
}

/** A person's answer: options, free text, or nothing. */
export type DialogAnswer =
  | { readonly kind: "chosen"; readonly values: readonly string[] }
  | { readonly kind: "words"; readonly text: string }
  /** The person pressed Escape. */
  | { readonly kind: "left" };
