import { readFileSync } from "node:fs";
import type { Edit, Guard } from "./guard.ts";

/** Every guard that attacks are aimed at, by name, at the place where it is turned off. */
export const GUARDS: Readonly<Record<string, Guard>> = JSON.parse(
  readFileSync(new URL("./guards.json", import.meta.url), "utf8"),
);

/** The edits by which a guard is turned off. */
export function editsOf(guard: string): readonly Edit[] {
  const found = GUARDS[guard];
  if (found === undefined) throw new Error(`There is no guard "${guard}": ${Object.keys(GUARDS).join(", ")}`);
  return found.edits;
}
