import { createServer, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { openRecording, type RecordedExchange, toBytes, withoutKeys } from "@palimpsest/provider-simulator/recordings";
import { listenOnLoopback } from "../forward/listen-on-loopback.ts";
import { answerProblem } from "../forward/proxy-error.ts";
import { whyRefused } from "../forward/why-refused.ts";

export interface ReplayOptions {
  /** What `startProxy({ record })` wrote. */
  readonly folder: string;
  /** 0: any free port. @default 0 */
  readonly port?: number;
}

export interface Replay {
  readonly url: string;
  /** Requests that no recording answers. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

/**
 * Answers requests from a recording, without any service: the same request gets the same answer, byte by byte. Requests that were recorded
 * several times get their answers in turn, and the last one from then on.
 */
export async function replayTraffic({ folder, port = 0 }: ReplayOptions): Promise<Replay> {
  const recording = openRecording(folder);
  const unknown: string[] = [];
  const server = createServer(async (incoming, client) => {
    const refused = whyRefused(incoming);
    if (refused !== undefined) return answerProblem(client, refused);
    const { method = "GET", url: target = "/" } = incoming;
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return;
    const [, upstream = "", rest = ""] = /^\/([^/?]+)(.*)$/s.exec(target) ?? [];
    const path = withoutKeys(rest.startsWith("/") ? rest : `/${rest}`);
    const recorded = recording.next({ upstream, method, path, body });
    if (recorded !== undefined) return answerAsRecorded(client, recorded);
    unknown.push(`${method} /${upstream}${path}`);
    const message = `${method} ${target} is not in ${folder} with this body. Record it: palimpsest proxy --record ${folder}`;
    answerProblem(client, { status: 501, code: "not-recorded", message });
  });
  const { url, close } = await listenOnLoopback(server, port);
  return { url, unknown, close: () => close(Promise.resolve(), 0) };
}

/** Of the connection on which it was recorded. */
const OF_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "content-length"];

function answerAsRecorded(
  client: ServerResponse,
  { status, responseHeaders, response, ended }: RecordedExchange,
): void {
  const kept = Object.entries(responseHeaders).filter(([name]) => !OF_CONNECTION.includes(name));
  client.sendDate = false;
  client.writeHead(status, Object.fromEntries(kept) as OutgoingHttpHeaders);
  const bytes = toBytes(response);
  if (ended === "whole") client.end(bytes);
  else client.write(bytes, () => client.destroy());
}
