import type { Entry } from "./entry.ts";

/** One entry as one line of JSON, with the payload in the open: people read it, and other programs. */
export function toLine({ payload, ...entry }: Entry): string {
  const fields = JSON.stringify(entry);
  return payload === undefined ? fields : `${fields.slice(0, -1)},"payload":${payload}}`;
}

/** The entry of a line, or undefined for a line that is none. Whether it is a true one, its chain tells. */
export function fromLine(line: string): Entry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { sequence, parent, kind, version, atMs, digest, hash, payload } = value as Record<string, unknown>;
  if (!isNumber(sequence) || !isNumber(parent) || !isNumber(version) || !isNumber(atMs)) return undefined;
  if (typeof kind !== "string" || typeof digest !== "string" || typeof hash !== "string") return undefined;
  const text = "payload" in value ? JSON.stringify(payload) : undefined;
  return { sequence, parent, kind, version, atMs, payload: text, digest, hash };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
