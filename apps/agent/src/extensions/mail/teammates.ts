import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { type Address, openCoordination, type SentToSocket, sendToSocket } from "@palimpsest/coordination";
import type { Places } from "../../workspace/places.ts";
import { teamOf } from "./open-mail.ts";

/** Lists the sessions of a project that have a name. */
export async function readTeammates(places: Places): Promise<readonly Address[]> {
  if (!existsSync(places.coordinationFile)) return [];
  const coordination = await openCoordination({ file: places.coordinationFile });
  try {
    return await coordination.mailboxes.addresses(teamOf(places));
  } finally {
    await coordination.close();
  }
}

/** Sends the user's message to a running session, through its socket. */
export async function writeToTeammate({ name, state, socket }: Address, text: string): Promise<SentToSocket> {
  if (state === "stopped" || socket === undefined)
    return { kind: "failed", because: "absent", why: `${name} is not running. To resume it: palimpsest --resume ID` };
  return sendToSocket({ path: socket, message: { id: randomUUID(), from: "user", body: text } });
}
