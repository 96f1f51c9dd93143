import { writeFile } from "node:fs/promises";
import type { ExportedPage, ExportProgress } from "@palimpsest/observe/inspector";
import type { Terminal } from "./terminal.ts";

/** How many requests an export writes between two lines of progress. */
const REQUESTS_A_LINE = 100;

/** Prints the progress of an export. */
export function printProgress(terminal: Pick<Terminal, "say">): (progress: ExportProgress) => void {
  return ({ session, ofSessions, requests, ofRequests }) => {
    if (requests % REQUESTS_A_LINE !== 0) return;
    const place = ofSessions === 1 ? "" : `session ${session} of ${ofSessions}, `;
    terminal.say(`Copying: ${place}request ${requests} of ${ofRequests}`, "faint");
  };
}

/** Writes the inspector's page to a file. Prints what is missing from it, and the command that shows everything. */
export async function writePage(
  file: string,
  { html, requests, leftOut }: ExportedPage,
  { terminal, inspect }: { readonly terminal: Pick<Terminal, "say">; readonly inspect: string },
): Promise<void> {
  await writeFile(file, html);
  terminal.say(`Wrote ${file}`);
  if (leftOut === 0) return;
  terminal.say(
    `It has the text of ${requests} requests. ${leftOut} older requests did not fit. To see all: ${inspect}`,
  );
}
