import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";

/** A random case that broke a law, as `npm run laws` keeps it and plays it again. */
interface KeptCase {
  readonly law: string;
  /** For people. */
  readonly shown: string;
  /** By `node:v8`, as base64: JSON has no `undefined`. */
  readonly played: string;
}

export interface HoldOptions {
  readonly numRuns: number;
  /** Whether a case that breaks the law is made smaller. @default "yes" */
  readonly shrinks?: "yes" | "no";
  /** What has happened so far, so that `npm run laws` can tell it. */
  readonly counts?: () => Readonly<Record<string, number>>;
}

/** Whether one kept case is played: then nothing can be said of what happens in many. */
export function isReplay(): boolean {
  return process.env["PALIMPSEST_CASE"] !== undefined;
}

/** Holds a law for random cases. In `npm run laws`, a case that breaks it is kept, and one that was kept is played alone. */
export async function hold<Case extends [unknown, ...unknown[]]>(
  law: string,
  cases: { readonly [Part in keyof Case]: fc.Arbitrary<Case[Part]> },
  judge: (...one: Case) => Promise<void>,
  { numRuns, shrinks = "yes", counts = () => ({}) }: HoldOptions,
): Promise<void> {
  const { PALIMPSEST_COVERED: covered, PALIMPSEST_CASE: replayed, PALIMPSEST_BROKEN: broken } = process.env;
  if (replayed !== undefined) {
    const kept = JSON.parse(readFileSync(replayed, "utf8")) as KeptCase;
    if (kept.law === law) await judge(...(deserialize(Buffer.from(kept.played, "base64")) as Case));
    return;
  }
  const property = fc.asyncProperty(fc.tuple(...cases) as unknown as fc.Arbitrary<Case>, async (one) => {
    const played = broken === undefined ? "" : serialize(one).toString("base64");
    try {
      await judge(...one);
    } catch (error) {
      // Each is smaller than the one before.
      if (broken !== undefined) {
        const kept: KeptCase = { law, shown: fc.stringify(one), played };
        writeFileSync(`${broken}-${law.replaceAll(/\W+/g, "-")}.json`, JSON.stringify(kept, undefined, 2));
      }
      throw error;
    }
  });
  await fc.assert(property, { numRuns, endOnFailure: shrinks === "no" && broken === undefined });
  if (covered !== undefined) appendFileSync(covered, `${JSON.stringify({ law, cases: numRuns, counts: counts() })}\n`);
}
