import type { Assignment, Word, WordPart } from "unbash";
import type { ShellWord } from "./shell-line.ts";

/** The user's home, however it is written. */
const HOME = /^\$(?:HOME|\{HOME\})$/;

/** What is known of a word: quotes are taken off, escapes are read, expansions are not. */
export function readWord({ text, value, parts }: Word): ShellWord {
  if (parts === undefined) return { text: value, lead: value, state: "known" };
  return join(parts.map(readPart), text);
}

/** `NAME=value`; lists and indexes are not read. */
export function readAssignment({ name, value, append, index, text }: Assignment): ShellWord {
  if (value.type !== "Word" || index !== undefined || append) return { text, lead: "", state: "unknown" };
  const read = readWord(value);
  return { text: `${name}=${read.text}`, lead: `${name}=${read.lead}`, state: read.state };
}

function readPart(part: WordPart): ShellWord {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { text: part.value, lead: part.value, state: "known" };
    case "DoubleQuoted":
    case "LocaleString":
      return join(part.parts.map(readPart), part.text);
    case "Glob":
    case "ExtendedGlob":
      return { text: part.text, lead: part.text, state: "pattern" };
    case "SimpleExpansion":
    case "ParameterExpansion":
      if (HOME.test(part.text)) return { text: "~", lead: "~", state: "unknown" };
      return { text: part.text, lead: "", state: "unknown" };
    default:
      return { text: part.text, lead: "", state: "unknown" };
  }
}

function join(pieces: readonly ShellWord[], written: string): ShellWord {
  const states = pieces.map(({ state }) => state);
  // The home is not known, and yet it is known where it lies.
  const end = pieces.findIndex(({ text, lead }) => lead !== text);
  const known = end === -1 ? pieces : pieces.slice(0, end + 1);
  return {
    text: pieces.length === 0 && /["']/.test(written) ? "" : pieces.map(({ text }) => text).join(""),
    lead: known.map(({ lead }) => lead).join(""),
    state: states.includes("unknown") ? "unknown" : states.includes("pattern") ? "pattern" : "known",
  };
}
