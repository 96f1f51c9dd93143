import type { Evidence } from "../../../compact/evidence/state.ts";
import { type EvidenceLine, evidenceLines } from "../../../compact/evidence/text.ts";

export interface EvidenceTextOptions {
  /** The maximum size of the text. */
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
  /** Text beside it in the view, which is not repeated. @default "" */
  readonly shown?: string;
}

const HEADING = "From the log (#N: entry N)";
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
    return some.length === 0 ? [] : renderGroup(heading, some);
  });
  return groups.length === 0 ? "" : [HEADING, ...groups].join("\n").toWellFormed();
}

function renderGroup(heading: string, lines: readonly EvidenceLine[]): string[] {
  const [first] = lines;
  if (first?.group === "paths") return renderPaths(heading, lines.filter(isPath));
  if (first?.group === "facts") return [`${heading}:`, ...renderFacts(lines.filter((line) => line.group === "facts"))];
  return [`${heading}:`, ...lines.map(({ text }) => `- ${text}`)];
}

type PathLine = Extract<EvidenceLine, { group: "paths" }>;

function isPath(line: EvidenceLine): line is PathLine {
  return line.group === "paths";
}

/** Files of the project come first, without its folder, which would stand in almost every line. */
function renderPaths(heading: string, lines: readonly PathLine[]): string[] {
  const root = sharedFolder(lines.map(({ path }) => folderOf(path)));
  const isBelow = ({ path }: PathLine): boolean => root !== "" && path.startsWith(root) && path !== root;
  const below = lines.filter(isBelow);
  if (below.length === 0) return [`${heading}:`, ...renderFolders(lines, 0)];
  const others = lines.filter((line) => !isBelow(line));
  return [
    `${heading} in ${root}:`,
    ...renderFolders(below, root.length),
    ...(others.length === 0 ? [] : [`Other ${heading.toLowerCase()}:`, ...renderFolders(others, 0)]),
  ];
}

/** Files of one folder share a line, so that the folder is named once. */
function renderFolders(lines: readonly PathLine[], rootCharacters: number): string[] {
  const byFolder = Map.groupBy(lines, ({ path }) => folderOf(path).slice(rootCharacters));
  return Array.from(byFolder, ([folder, files]) => {
    const names = files.map(({ path, text }) => `${path.slice(rootCharacters + folder.length)}${text}`);
    return files.length === 1 || folder === "" ? `- ${folder}${names.join("; ")}` : `- ${folder}: ${names.join("; ")}`;
  });
}

function folderOf(path: string): string {
  return path.slice(0, path.replace(/[\\/]$/, "").search(/[^\\/]*$/));
}

/** The absolute folder that saves most when it is named once; empty if none saves anything. */
function sharedFolder(folders: readonly string[]): string {
  const saved = new Map<string, number>();
  for (const folder of new Set(folders)) {
    if (!/^(?:\/|~|[A-Za-z]:)/.test(folder)) continue;
    for (const { index } of folder.matchAll(/[\\/]/g)) {
      const root = folder.slice(0, index + 1);
      saved.set(root, (saved.get(root) ?? -HEADING_CHARACTERS - root.length) + root.length);
    }
  }
  let [best, most] = ["", 0];
  for (const [root, characters] of saved) if (characters > most) [best, most] = [root, characters];
  return best;
}

/** "Other files:", and what stands before the folder. */
const HEADING_CHARACTERS = 20;

/** Facts of one entry share its number. */
function renderFacts(lines: readonly Extract<EvidenceLine, { group: "facts" }>[]): string[] {
  const byEntry = Map.groupBy(lines, ({ entry }) => entry);
  return Array.from(byEntry, ([entry, facts]) => `- ${facts.map(({ text }) => text).join(", ")} #${entry}`);
}
