import type { HttpFace } from "../http-face.ts";
import { openRecording } from "./open-recording.ts";
import { toBytes } from "./recorded-exchange.ts";

/** The folder of recorded responses. */
export interface ReplayOptions {
  /** Traffic that `palimpsest proxy --record FOLDER` has written. Paths may begin with the name of the service, as behind the proxy. */
  readonly folder: string;
}

/** Of the connection on which it was recorded. */
const OF_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "content-length"];

/**
 * A face that answers as a real service did, byte by byte: what was recorded with exactly these bytes. All other calls are for the faces
 * after it, so that a test can mix real answers with simulated ones.
 */
export function createReplay({ folder }: ReplayOptions): HttpFace {
  const recording = openRecording(folder);
  if (recording.upstreams.length === 0) {
    throw new Error(`${folder} has no recordings. Record traffic with: palimpsest proxy --record ${folder}`);
  }
  return {
    handle({ method, path: pathname, query = "", body, bytes: sent = Buffer.from(body) }) {
      const asked = query === "" ? pathname : `${pathname}?${query}`;
      for (const upstream of recording.upstreams) {
        const path = asked.startsWith(`/${upstream}/`) ? asked.slice(upstream.length + 1) : asked;
        const recorded = recording.next({ upstream, method, path, body: Buffer.from(sent) });
        if (recorded === undefined) continue;
        const { status, responseHeaders, response, ended } = recorded;
        const kept = Object.entries(responseHeaders).filter(([name]) => !OF_CONNECTION.includes(name));
        const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
        const bytes = toBytes(response);
        const message = `recorded: ${bytes.toString("utf8").slice(0, 200)}`;
        const outcome = status < 400 ? ({ kind: "free" } as const) : ({ kind: "refused", status, message } as const);
        return { kind: "bytes", status, headers, bytes, ended, outcome };
      }
      return undefined;
    },
  };
}
