import type { Entry } from "./entry.ts";

/** Writes an entry as one line of JSON, with a readable payload, for people and other programs. */
export function toLine({ payload, ...entry }: Entry): string {
  const fields = JSON.stringify(entry);
  return payload === undefined ? fields : `${fields.slice(0, -1)},"payload":${payload}}`;
}

/** Reads an entry from a line; undefined if the line is no entry. It does not verify the entry: `checkChain` does. */
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
