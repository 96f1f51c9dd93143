import {
  checkSize,
  type FineSummary,
  type RefusedSummary,
  type RepairableSummary,
  refuse,
  type SummaryAnswer,
  type SummaryLimits,
} from "../../../compact/summary/check.ts";
import { withoutScratchpads } from "../../../compact/summary/read.ts";
import { missingSections, readSections } from "../../../compact/summary/sections.ts";
import { namedPaths, renamePaths } from "./named-paths.ts";

export interface Repair extends SummaryLimits {
  readonly repairable: RepairableSummary;
  /** The model's answer to the repair prompt; undefined if there was none. */
  readonly answer: SummaryAnswer | undefined;
}

/** The mark after a path that is not in the log. The sentence stays, because it may otherwise be true. */
export const UNVERIFIED = " (unverified: not in the log)";

/** The requested form: `path: as written => corrected`. */
const RENAMED = /^\W*path:\s*`?(.+?)`?\s*=>\s*`?(.+?)`?\s*$/i;

/**
 * Merges the answer of the only repair round: it takes the requested sections, and no others. A path is corrected if
 * the log contains the new one, and otherwise marked. So a summary with all its sections needs no answer.
 */
export function joinRepair({ repairable, answer, ...limits }: Repair): FineSummary | RefusedSummary {
  // An answer that was cut off again is no improvement.
  const usable = answer?.stop === "end" || answer?.stop === "tools" ? withoutScratchpads(answer.text) : "";
  const repaired = usable.replace(/\r\n?/g, "\n").replace(/<\/?summary>/gi, "");
  const joined = joinSections(repairable, repaired);
  const wanting = missingSections(readSections(joined));
  if (wanting.length > 0) return refuse("sections-missing", `without ${wanting.join(", ")} after the repair round`);
  const text = settlePaths(joined, renamingsIn(repaired), limits.isKnownPath).toWellFormed();
  return checkSize(text, limits) ?? { kind: "fine", text };
}

function joinSections({ text, missing }: RepairableSummary, repaired: string): string {
  const wanted = missing.flatMap((one) => (one.kind === "section" ? [one.number] : []));
  if (wanted.length === 0) return text;
  const { opening, byNumber } = readSections(text);
  const found = readSections(withoutRenamings(repaired)).byNumber;
  const kept = [...byNumber].filter(([number]) => !wanted.includes(number));
  const added = [...found].filter(([number]) => wanted.includes(number));
  const sections = [...kept, ...added].sort(([a], [b]) => a - b).map(([, section]) => section);
  return [opening, ...sections].join("\n\n").replace(/^Summary:\n\n/, "Summary:\n");
}

function renamingsIn(repaired: string): ReadonlyMap<string, string> {
  return new Map(
    repaired.split("\n").flatMap((line): [string, string][] => {
      const [, wrong, right] = RENAMED.exec(line) ?? [];
      return wrong === undefined || right === undefined ? [] : [[wrong, right]];
    }),
  );
}

function withoutRenamings(repaired: string): string {
  return repaired
    .split("\n")
    .filter((line) => !RENAMED.test(line))
    .join("\n");
}

function settlePaths(
  text: string,
  renamings: ReadonlyMap<string, string>,
  isKnownPath: (path: string) => boolean,
): string {
  return renamePaths(text, (path) => {
    if (isKnownPath(path)) return path;
    const right = renamings.get(path);
    const isPath = right !== undefined && namedPaths(right).some((named) => named.path === right);
    return isPath && isKnownPath(right) ? right : `${path}${UNVERIFIED}`;
  });
}
