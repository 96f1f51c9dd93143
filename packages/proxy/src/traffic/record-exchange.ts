import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedExchange, requestKey, toRecordedBody } from "@palimpsest/provider-simulator/recordings";
import type { Exchange } from "../observe/exchange.ts";
import { viewOf } from "../wire/view-of.ts";

/** Writes an exchange into a folder. The names of files sort by time. Throws the file system's error. */
export function recordExchange(folder: string, exchange: Exchange): void {
  const { upstream, method, path, headers, status, responseHeaders, ended, sentAtMs } = exchange;
  const request = viewOf(exchange.request);
  const recorded: RecordedExchange = {
    recording: 1,
    upstream,
    method,
    path,
    headers,
    request: toRecordedBody(request),
    status,
    responseHeaders,
    response: toRecordedBody(viewOf(exchange.response)),
    ended,
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${sentAtMs}-${requestKey({ upstream, method, path, body: request }).slice(0, 16)}`;
  const text = `${JSON.stringify(recorded, null, 1)}\n`;
  for (let again = 0; !writeNew(join(folder, `${name}${again === 0 ? "" : `-${again}`}.json`), text); again++) {
    // The same request twice within a millisecond: the next name.
  }
}

function writeNew(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}
