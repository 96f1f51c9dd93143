import { hashOfRequest, openLabSession } from "./open-session.ts";

/** Report of a fresh process, in one line of JSON. Without a folder it has only loaded the modules. */
export interface Opened {
  /** From the start of the process until its modules were there. */
  readonly importMs: number;
  readonly openMs: number;
  /** The highest since its start. */
  readonly rssMb: number;
  readonly requestHash: string;
}

const importMs = performance.now();
const [folder] = process.argv.slice(2);
const startedAtMs = performance.now();
const session = folder === undefined ? undefined : await openLabSession(folder);
const request = await session?.prepare();
const openMs = performance.now() - startedAtMs;
const rssMb = process.resourceUsage().maxRSS / 1_024;
const requestHash = request === undefined ? "" : hashOfRequest(request);
await session?.close();
console.log(JSON.stringify({ importMs, openMs, rssMb, requestHash } satisfies Opened));
