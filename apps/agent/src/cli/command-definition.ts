import type { ParseArgsOptionDescriptor } from "node:util";
import type { Ending } from "./exit-codes.ts";

/** One command: what reads its arguments, teaches it and completes it goes by this, and by nothing else. */
export interface CommandDefinition {
  /** Behind `palimpsest`. */
  readonly usage: string;
  /** In one line. */
  readonly about: string;
  /** What else is to be known, a paragraph each. */
  readonly more?: readonly string[];
  readonly options: Readonly<Record<string, OptionDefinition>>;
  /** What stands beside the options. @default nothing */
  readonly operands?: Operands;
  readonly examples: readonly Example[];
  /** How it may end, beside done and with a command line that makes no sense. */
  readonly endings: readonly Ending[];
}

export interface OptionDefinition extends ParseArgsOptionDescriptor {
  /** What stands for its value: TEXT, ID, N. @default it has none */
  readonly value?: string;
  /** The words that it takes, where it takes no others. */
  readonly of?: readonly string[];
  readonly completes?: "sessions";
  readonly about: string;
}

export interface Operands {
  /** How many at most. */
  readonly most: number;
  readonly completes?: "sessions" | "commands" | readonly string[];
}

export type Example = readonly [line: string, about: string];
