import { resolve } from "node:path";

export type Wanted =
  | { readonly kind: "serve"; readonly folder: string; readonly scope: "folder" | "all" }
  | { readonly kind: "help" | "version" }
  | { readonly kind: "wrong"; readonly why: string };

export const HELP = `palimpsest-mcp: an MCP server over the sessions of the coding agents on this machine.

  npx @palimpsest/mcp [--folder DIR] [--all]

  --folder DIR   Serve the sessions of this folder and of those below it. Default: the folder it is started in
  --all          Serve every session on this machine. Transcripts hold secrets of other projects: the client's model can read them all
  --version      Print the version
  --help         Print this help

It speaks MCP on standard input and output. Clients start it; to try it: npx @modelcontextprotocol/inspector npx @palimpsest/mcp
`;

/** @param folder the folder that the program was started in */
export function readArguments(args: readonly string[], folder: string): Wanted {
  let wanted: Wanted = { kind: "serve", folder, scope: "folder" };
  for (let at = 0; at < args.length; at++) {
    const [name = "", value = args[at + 1]] = (args[at] ?? "").split(/=(.*)/s, 2);
    switch (name) {
      case "--help":
      case "-h":
        return { kind: "help" };
      case "--version":
        return { kind: "version" };
      case "--all":
        wanted = { ...wanted, scope: "all" };
        break;
      case "--folder":
        if (value === undefined || value === "") return { kind: "wrong", why: "--folder needs a folder." };
        wanted = { ...wanted, folder: resolve(folder, value) };
        if (!args[at]!.includes("=")) at += 1;
        break;
      default:
        return { kind: "wrong", why: `Unknown option ${JSON.stringify(name)}. See palimpsest-mcp --help.` };
    }
  }
  return wanted;
}
