import { readFileSync } from "node:fs";

const PAGE = new URL("../../docs/start.md", import.meta.url);

/** The commands of docs/start.md, in order: the lines of its shell blocks. */
export function startGuideCommands(): readonly string[] {
  const blocks = readFileSync(PAGE, "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, lines]) => lines!.trim().split("\n"));
}
