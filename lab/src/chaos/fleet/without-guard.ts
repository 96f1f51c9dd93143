/**
 * Loads the product with one of its guards turned off, in a process that is started with `--import` of this file and the name of the
 * guard in its environment. Its children are started in the same way.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Guard, withoutGuard } from "../security/guard.ts";

const ROOT = new URL("../../../../", import.meta.url).href;
const VARIABLE = "CHAOS_FLEET_WITHOUT";

/** The guards that the fleet's trials are aimed at, by name. */
export const GUARDS: Readonly<Record<string, Guard>> = JSON.parse(
  readFileSync(new URL("./guards.json", import.meta.url), "utf8"),
);

/** The environment of a process that is to run without a guard. */
export function environmentWithout(guard: string): NodeJS.ProcessEnv {
  return { ...process.env, [VARIABLE]: guard };
}

/** For the command line of a process that is to run without the guard that this one runs without. */
export function argumentsWithout(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  return environment[VARIABLE] === undefined ? [] : ["--import", import.meta.url];
}

const missing = process.env[VARIABLE];
if (missing !== undefined) {
  const edits = GUARDS[missing]!.edits;
  registerHooks({
    load(url, context, next) {
      const own = edits.filter(({ file }) => ROOT + file === url);
      const loaded = next(url, context);
      if (own.length === 0) return loaded;
      return Object.assign({}, loaded, { source: withoutGuard(readFileSync(fileURLToPath(url), "utf8"), own) });
    },
  });
}
