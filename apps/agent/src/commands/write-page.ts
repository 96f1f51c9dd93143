import { writeFile } from "node:fs/promises";
import type { ExportedPage, ExportProgress } from "@palimpsest/observe/inspector";
import type { Terminal } from "./terminal.ts";

/** A long export tells how far it is after so many requests. */
const REQUESTS_A_LINE = 100;

/** Tells the progress of an export, now and then. */
export function tellExport(terminal: Pick<Terminal, "say">): (progress: ExportProgress) => void {
  return ({ session, ofSessions, requests, ofRequests }) => {
    if (requests % REQUESTS_A_LINE !== 0) return;
    const place = ofSessions === 1 ? "" : `session ${session} of ${ofSessions}, `;
    terminal.say(`Copying: ${place}request ${requests} of ${ofRequests}`, "faint");
  };
}

/** Writes the inspector's page to a file, and says what is not in it, and which command shows all of it. */
export async function writePage(
  file: string,
  { html, requests, leftOut }: ExportedPage,
  { terminal, inspect }: { readonly terminal: Pick<Terminal, "say">; readonly inspect: string },
): Promise<void> {
  await writeFile(file, html);
  terminal.say(`Wrote ${file}`);
  if (leftOut === 0) return;
  terminal.say(
    `It has the text of ${requests} requests. ${leftOut} older ones found no room in it. To see all: ${inspect}`,
  );
}
