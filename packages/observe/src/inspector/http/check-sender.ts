import type { IncomingMessage } from "node:http";

/** Why a request is refused before anything of it is looked at. */
export interface Refused {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 500;
  readonly code: string;
  /** What happened, and what to do. */
  readonly message: string;
}

export function refused(status: Refused["status"], code: string, message: string): Refused {
  return { status, code, message };
}

/**
 * Refuses every request that is not from the inspector's own page. Another page in the same browser can send requests to this
 * machine, and with a name of its own that leads here (DNS rebinding) it could read the answers.
 */
export function checkSender({ headers }: Pick<IncomingMessage, "headers">, port: number): Refused | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = "", origin } = headers;
  if (!hosts.includes(host)) return refused(403, "unknown-host", `Use the address http://127.0.0.1:${port}.`);
  if (origin !== undefined && origin !== `http://${host}`)
    return refused(403, "other-origin", "Only the inspector's own page may read this.");
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return refused(403, "other-site", "Only the inspector's own page may read this. Open its address by hand.");
  return undefined;
}
