import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version of this program, from its package.json. */
export function readVersion(): string {
  const file = readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}
