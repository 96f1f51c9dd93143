import type { ParseArgsOptionDescriptor } from "node:util";
import type { Ending } from "../commands/exit-codes.ts";

/** One command of the program. The argument parser, the help pages and the shell completion all read this definition. */
export interface CommandDefinition {
  /** The words after `palimpsest`. */
  readonly usage: string;
  /** What the command does, in one line: imperative, lower case. */
  readonly about: string;
  /** Details for the help page, one paragraph each. */
  readonly more?: readonly string[];
  readonly options: Readonly<Record<string, OptionDefinition>>;
  /** Arguments that are not options. @default none */
  readonly operands?: Operands;
  readonly examples: readonly Example[];
  /** How the command may end, besides `done` and `usage`. */
  readonly endings: readonly Ending[];
}

export interface OptionDefinition extends ParseArgsOptionDescriptor {
  /** The placeholder of its value: TEXT, ID, N. @default the option takes no value */
  readonly value?: string;
  /** The allowed values. @default any value */
  readonly of?: readonly string[];
  readonly completes?: "sessions";
  readonly about: string;
}

export interface Operands {
  /** The largest number of operands. */
  readonly most: number;
  readonly completes?: "sessions" | "commands" | readonly string[];
}

export type Example = readonly [line: string, about: string];
