import { type EvidenceLine, evidenceLines } from "./evidence-lines.ts";
import type { Evidence } from "./evidence-state.ts";

export interface EvidenceTextOptions {
  /** The maximum size of the text. */
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
  /** Text beside it in the view, which is not repeated. @default "" */
  readonly shown?: string;
}

const HEADING = "From the log (#N: recall entry N to read it in full)";
const HEADINGS = {
  rules: "Said by the user",
  decisions: "Decided by the assistant",
  paths: "Files",
  commands: "Commands, how they last ended",
  errors: "Errors",
  facts: "Names and numbers",
} as const;

/** Renders the evidence: the most and the latest used first, up to the budget. Empty if nothing fits. */
export function evidenceText(
  evidence: Evidence,
  { budgetTokens, countTokens, shown = "" }: EvidenceTextOptions,
): string {
  const lines = evidenceLines(evidence, shown, budgetTokens);
  let best = "";
  let [fits, tooMany] = [0, lines.length + 1];
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1;
    const text = render(lines.slice(0, count));
    if (countTokens(text) <= budgetTokens) [fits, best] = [count, text];
    else tooMany = count;
  }
  return best;
}

function render(lines: readonly EvidenceLine[]): string {
  const byGroup = Map.groupBy(lines, ({ group }) => group);
  const groups = Object.entries(HEADINGS).flatMap(([group, heading]) => {
    const some = byGroup.get(group as EvidenceLine["group"]) ?? [];
    return some.length === 0 ? [] : [`${heading}:`, ...renderGroup(some)];
  });
  return groups.length === 0 ? "" : [HEADING, ...groups].join("\n").toWellFormed();
}

function renderGroup(lines: readonly EvidenceLine[]): string[] {
  const [first] = lines;
  if (first?.group === "paths") return renderPaths(lines.filter((line) => line.group === "paths"));
  if (first?.group === "facts") return renderFacts(lines.filter((line) => line.group === "facts"));
  return lines.map(({ text }) => `- ${text}`);
}

/** Files of one folder share a line, so that the folder is named once. */
function renderPaths(lines: readonly Extract<EvidenceLine, { group: "paths" }>[]): string[] {
  const byFolder = Map.groupBy(lines, ({ path }) => path.slice(0, path.replace(/[\\/]$/, "").search(/[^\\/]*$/)));
  return Array.from(byFolder, ([folder, files]) => {
    const names = files.map(({ path, text }) => `${path.slice(folder.length)}${text}`);
    return files.length === 1 || folder === "" ? `- ${folder}${names.join("; ")}` : `- ${folder}: ${names.join("; ")}`;
  });
}

/** Facts of one entry share its number. */
function renderFacts(lines: readonly Extract<EvidenceLine, { group: "facts" }>[]): string[] {
  const byEntry = Map.groupBy(lines, ({ entry }) => entry);
  return Array.from(byEntry, ([entry, facts]) => `- ${facts.map(({ text }) => text).join(", ")} #${entry}`);
}
