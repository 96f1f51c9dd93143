import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "../observe/exchange.ts";
import { viewOf } from "../wire/view-of.ts";

/**
 * Writes an exchange into a folder, as a file of JSON that the simulator reads (`createReplay`). Headers have no credentials; bodies are as
 * they were on the wire. The names of files sort by time. Throws the file system's error.
 */
export function recordExchange(folder: string, exchange: Exchange): void {
  const { upstream, method, path, headers, status, responseHeaders, ended, sentAtMs } = exchange;
  const request = viewOf(exchange.request);
  const recorded = {
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
  const name = `${sentAtMs}-${createHash("sha256").update(request).digest("hex").slice(0, 16)}`;
  const text = `${JSON.stringify(recorded, null, 1)}\n`;
  for (let again = 0; !writeNew(join(folder, `${name}${again === 0 ? "" : `-${again}`}.json`), text); again++) {
    // The same request twice within a millisecond: the next name.
  }
}

/** As text if the bytes are text, so that people can read and search it. */
function toRecordedBody(bytes: Buffer): { readonly text: string } | { readonly base64: string } {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString("base64") };
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
