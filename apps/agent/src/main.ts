#!/usr/bin/env node
import { readFileSync } from "node:fs";

// Starts the program. It loads code only when needed, so that `--version` is as fast as Node itself.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  const file = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  console.log((JSON.parse(file) as { readonly version: string }).version);
} else {
  const { dispatch } = await import("./main/dispatch.ts");
  process.exitCode = await dispatch(args);
}
