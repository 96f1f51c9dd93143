// Reads and checks the arguments of a command.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearest } from "../text/nearest.ts";
import { UsageError } from "../workspace/usage-error.ts";

export type Arguments<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ readonly options: Options; readonly allowPositionals: true; readonly args: string[] }>
>;

/** The part of a command's definition that the argument parser needs. */
interface ArgumentRules<Options> {
  readonly options: Options;
  /** The operands. @default none */
  readonly operands?: { readonly most: number };
}

/** Reads the arguments of a command. An error names the unknown argument and the closest known argument. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  { options, operands }: ArgumentRules<Options>,
): Arguments<Options> {
  try {
    const read = parseArgs({ args: [...args], options, allowPositionals: true as const });
    const beyond = read.positionals[operands?.most ?? 0];
    if (beyond !== undefined)
      throw new UsageError(`Unexpected argument ${JSON.stringify(beyond)}. Remove it, or quote texts with spaces.`);
    return read as Arguments<Options>;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!isParseError(error)) throw error;
    const unknown = error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'(-[^' =]+)/.exec(error.message)?.[1] : undefined;
    if (unknown === undefined) throw new UsageError(error.message);
    const known = Object.keys(options).map((name) => `--${name}`);
    const meant = nearest(unknown, known);
    const all = known.length === 0 ? "This command has no options." : `Options: ${known.join(", ")}.`;
    throw new UsageError(`Unknown option ${unknown}. ${meant === undefined ? all : `Did you mean ${meant}?`}`);
  }
}

/** Checks an option that accepts one of a few words. */
export function oneOf<const Word extends string>(
  option: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined) return undefined;
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  const meant = nearest(value, words);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(`${option} takes one of ${words.join(", ")}, not ${JSON.stringify(value)}.${hint}`);
}

/** Reads an option that accepts a whole number above 0. */
export function countOf(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) {
    throw new UsageError(`${option} takes a whole number above 0, not ${JSON.stringify(value)}.`);
  }
  return Number(value);
}

/** Reads an option that accepts an amount of money. */
export function amountOf(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const amount = Number(value);
  if (value.trim() !== "" && Number.isFinite(amount) && amount >= 0) return amount;
  throw new UsageError(`${option} takes an amount of US dollars, not ${JSON.stringify(value)}.`);
}

function isParseError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** The file or folder in the arguments of a command about other agents' sessions. */
export function transcriptsPath([path]: readonly string[], command: "analyze" | "sessions import"): string {
  if (path !== undefined) return path;
  throw new UsageError(
    `The file or folder is missing: palimpsest ${command} FILE|DIR. To find sessions on this machine: palimpsest sessions --from AGENT.`,
  );
}
