import { crc32 } from "node:zlib";
import type { ServerSentEvent } from "../http-face.ts";

/** The type of a header whose value is text. */
const TEXT_HEADER = 7;

/**
 * An event as a message of the binary stream (`application/vnd.amazon.eventstream`): the length of all, that of the headers, a
 * checksum of both; headers and payload; a checksum of all before it. An exception has its name in another header than an event.
 */
export function toEventMessage({ event = "", data }: ServerSentEvent): Uint8Array {
  const kind = event.endsWith("Exception") ? "exception" : "event";
  const headers = Buffer.concat([
    header(`:${kind}-type`, event),
    header(":content-type", "application/json"),
    header(":message-type", kind),
  ]);
  const payload = Buffer.from(data);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message), 0);
  return Buffer.concat([message, checksum]);
}

function header(name: string, value: string): Buffer {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(valueBytes.length, 0);
  return Buffer.concat([Buffer.of(nameBytes.length), nameBytes, Buffer.of(TEXT_HEADER), length, valueBytes]);
}
