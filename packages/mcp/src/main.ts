#!/usr/bin/env node
import { Console } from "node:console";
import { createRequire } from "node:module";
import { createTools } from "./create-tools.ts";
import { HELP, readArguments } from "./read-arguments.ts";

// Standard output belongs to the protocol: whatever a library prints goes where people look for it.
globalThis.console = new Console(process.stderr);

const { version } = createRequire(import.meta.url)("@palimpsest/mcp/package.json") as { version: string };
const wanted = readArguments(process.argv.slice(2), process.cwd());
switch (wanted.kind) {
  case "help":
    process.stdout.write(HELP);
    break;
  case "version":
    process.stdout.write(`${version}\n`);
    break;
  case "wrong":
    process.stderr.write(`${wanted.why}\n`);
    process.exitCode = 2;
    break;
  case "serve": {
    const { folder, scope } = wanted;
    try {
      const { tools } = await createTools({ folder, scope, environment: process.env });
      const { serveTools } = await import("./serve-tools.ts");
      serveTools({ tools, version, onError: ({ message }) => process.stderr.write(`${message}\n`) });
    } catch (error) {
      process.stderr.write(`Cannot serve ${folder}: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}
