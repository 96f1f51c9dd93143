import type { Environment } from "../workspace/command-environment.ts";
import type { Enclosed } from "./create-encloser.ts";

export interface EnclosedLineOptions {
  readonly enclosed: Enclosed;
  /** The path of bash, outside of every root. */
  readonly shell: string;
  readonly environment: Environment;
  /** Variables that only the program itself gets. */
  readonly own?: Environment;
}

/** A program with its arguments, for whoever starts programs without further descriptors. */
export interface EnclosedLine {
  readonly line: readonly [program: string, ...args: string[]];
  readonly environment: Environment;
}

const OWN = "PALIMPSEST_OWN_";

/**
 * The whole line of an enclosed program. A first bash opens the filter for bubblewrap, a second one inside of the sandbox sets the limits.
 * The program's own variables get other names on the way: those of settings could name a library for the loader, or a file
 * for bash, and what starts the sandbox must not obey them.
 */
export function enclosedLine(
  words: readonly string[],
  { enclosed, shell, environment, own = {} }: EnclosedLineOptions,
): EnclosedLine {
  const { startedBy, filterFile, limits } = enclosed;
  const names = Object.keys(own);
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    throw new Error(
      `The sandbox cannot pass on the variable ${JSON.stringify(wrong)}: a name has letters, digits and _.`,
    );
  const given = names.map((name) => `export ${name}="$${OWN}${name}"; unset ${OWN}${name}; `).join("");
  const bash = [shell, "--noprofile", "--norc", "-c"] as const;
  return {
    line: [
      ...[...bash, 'exec 4<"$0"; exec "$@"', filterFile, ...startedBy],
      ...[...bash, `${limits}; ${given}exec -- "$@"`, "bash", ...words],
    ] as readonly string[] as EnclosedLine["line"],
    environment: {
      ...environment,
      ...enclosed.environment,
      ...Object.fromEntries(names.map((name) => [`${OWN}${name}`, own[name]])),
    },
  };
}
