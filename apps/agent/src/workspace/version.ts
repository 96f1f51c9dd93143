import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Of this program, as its package.json has it. */
export function readVersion(): string {
  const file = readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}
