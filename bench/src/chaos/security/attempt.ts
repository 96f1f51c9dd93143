import type { Canaries } from "./canaries.ts";

/** One attack. Resolves to all that the attacker gets to see. */
export interface Attempt {
  readonly name: string;
  run(): Promise<string>;
  /** What must not be so afterwards, beside what the canaries tell; undefined if all is well. */
  readonly harm?: (said: string) => string | undefined;
}

export interface Attacked {
  readonly cases: number;
  /** What got out, one line each. */
  readonly escapes: readonly string[];
  /** Why nothing was tried. */
  readonly skipped?: string;
}

/** Tries one attack after the other, and asks the canaries after each. What an attack returns or throws proves nothing. */
export async function tryAll(attempts: readonly Attempt[], canaries: Canaries): Promise<Attacked> {
  const escapes: string[] = [];
  for (const { name, run, harm } of attempts) {
    const said = await run().catch((error: unknown) => String(error));
    const harmed = harm?.(said);
    const found = [...(await canaries.check(said)), ...(harmed === undefined ? [] : [harmed])];
    if (found.length > 0) escapes.push(`${name}: ${found.join("; ")}`);
  }
  return { cases: attempts.length, escapes };
}

export function skip(reason: string): Attacked {
  return { cases: 0, escapes: [], skipped: reason };
}
