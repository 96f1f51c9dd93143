#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { findCommand } from "./cli/commands.ts";
import { EXIT } from "./cli/exit-codes.ts";
import { UsageError } from "./cli/read-arguments.ts";
import { processTerminal } from "./cli/terminal.ts";

/** Nothing of the engine is loaded here: each command loads what it needs, so that `--version` costs no more than Node. */
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  console.log(version);
} else {
  const terminal = processTerminal();
  try {
    const { command, rest } = findCommand(args);
    const { run } = await command.load();
    process.exitCode = await run(rest, terminal);
  } catch (error) {
    terminal.say(`palimpsest: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}
