import type { ExactLine } from "../../extension/dialog.ts";
import { type Line, plain } from "../../text/line.ts";
import { visibleLine, visibleText } from "../../text/visible-text.ts";

const STEP = "  ";

/**
 * Every field of a call as text, nested ones below their names. Lines of a text stand behind a bar, so that no text can look
 * like another field.
 */
export function callFields(input: unknown, left = ""): readonly ExactLine[] {
  const isList = Array.isArray(input);
  const entries = Object.entries((input ?? {}) as object);
  return entries.flatMap(([key, value]) => {
    const name: Line = [
      { text: left },
      { text: isList ? "- " : `${visibleText(key).replaceAll("\n", "⟨LF⟩")}: `, color: "tool" },
    ];
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
      ? [{ lead: name, text: [] }, ...callFields(value, left + STEP)]
      : valueLines(value, name, left + STEP);
  });
}

/** Lines of a text that is shown as it is. */
export function textLines(
  text: string,
  left = "",
  toLine: (line: string) => Line = (line) => visibleLine(line),
): readonly ExactLine[] {
  const lead: Line = [...plain(left), { text: "│ ", color: "quiet" }];
  return text.split("\n").map((line) => ({ lead, text: toLine(line) }));
}

function valueLines(value: unknown, name: Line, left: string): readonly ExactLine[] {
  if (typeof value !== "string") return [{ lead: name, text: plain(JSON.stringify(value) ?? String(value)) }];
  if (value === "") return [{ lead: name, text: plain('""', { color: "quiet" }) }];
  if (!value.includes("\n")) return [{ lead: name, text: visibleLine(value) }];
  return [{ lead: name, text: [] }, ...textLines(value, left)];
}
