import { sha256 } from "palimpsest/store-parts";

/** Names a session by where it is kept. Its id would be text of others, and copies of a file share one. */
export function sessionKey(agent: string, path: string, session: string): string {
  return `${agent}-${sha256(`${path}\0${session}`).slice(0, 8)}`;
}
