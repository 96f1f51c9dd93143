import { asObject } from "palimpsest/schema";
import type { RecordedToolCall } from "../transcripts/readers/recorded.ts";
import { commandOf, fileRead } from "./files-read.ts";

/** Describes a call, for readers of its result. */
export interface DescribedCall {
  readonly tool: string;
  readonly about: string;
  /** The file that the call reads, if any. */
  readonly path?: string;
}

const ABOUT_CHARACTERS = 100;

export function describeCall({ name, input }: RecordedToolCall): DescribedCall {
  const path = fileRead(name, input);
  const fields = asObject(input) ?? {};
  const texts = Object.values(fields).filter((value) => typeof value === "string");
  const about = path ?? commandOf(fields) ?? texts[0] ?? (typeof input === "string" ? input : "");
  return { tool: name, about: cut(about), path };
}

/** A piece of a string keeps all of it in memory; a copy does not. */
function cut(text: string): string {
  const piece = text.slice(0, ABOUT_CHARACTERS).replaceAll(/\s+/g, " ").trim();
  return text.length > ABOUT_CHARACTERS ? `${JSON.parse(JSON.stringify(piece))}…` : piece;
}
