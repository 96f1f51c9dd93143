import { fileURLToPath } from "node:url";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The words that start the agent: from its sources, or as it was built, where that is asked for. The gate asks: it has just built
 * it, its tests start it a thousand times, and one file is loaded in less than half the time of hundreds.
 */
export const AGENT_PROGRAM: readonly [node: string, ...words: readonly string[]] =
  process.env["PALIMPSEST_AGENT"] === "built"
    ? [process.execPath, "--no-warnings", at("../../dist/main.js")]
    : [process.execPath, "--conditions=palimpsest-source", "--no-warnings", at("../main.ts")];

/** One cache for all tests: in a home of its own, every start would compile everything again. */
export const COMPILED: { readonly NODE_COMPILE_CACHE: string | undefined } = {
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
};
