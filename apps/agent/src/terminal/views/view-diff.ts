import type { ExactLine } from "../../extension/dialog.ts";
import type { DiffLine } from "../../text/diff-lines.ts";
import { type Look, plain } from "../../text/line.ts";
import { visibleLine } from "../../text/visible-text.ts";

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-", skipped: "⋮" };
const LOOKS: Readonly<Record<DiffLine["kind"], Look>> = {
  same: {},
  added: { color: "good" },
  removed: { color: "bad" },
  skipped: { color: "quiet" },
};

/** A difference as lines with their numbers. Added lines are green, removed ones red. */
export function viewDiff(lines: readonly DiffLine[]): readonly ExactLine[] {
  const digits = String(Math.max(0, ...lines.map(({ number = 0 }) => number))).length;
  return lines.map(({ kind, number, text }) => {
    const look = LOOKS[kind];
    const lead = plain(`${String(number ?? "").padStart(digits)} `, { color: "quiet" });
    return { lead: [...lead, { text: `${SIGNS[kind]} `, ...look }], text: visibleLine(text, look) };
  });
}
