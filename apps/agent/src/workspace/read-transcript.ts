import type { Block } from "palimpsest";
import { type CompactionReasons, compactionReasons, entryText, readPayload } from "palimpsest/inspect";
import type { Entry, LogReader } from "palimpsest/store-parts";
import { type DiffLine, diffLines } from "../text/diff-lines.ts";
import { cleanText } from "../text/visible-text.ts";

/** One log entry as the transcript shows it. */
export interface TranscriptEntry {
  readonly entry: number;
  readonly who: "you" | "model" | "tool" | "command" | "host" | "summary" | "attached" | "boundary" | "taken-out";
  readonly title: string;
  readonly text: string;
  /** The blocks of an entry with calls of Edit or Write, which `showChanges` shows as diffs. */
  readonly edits?: readonly Block[];
  /** The kind of change of each text line, for entries whose edits are shown. */
  readonly kinds?: readonly (DiffLine["kind"] | undefined)[];
  /** Whether the model sees the entry now. `taken-back`: it was undone or rewound. */
  readonly seen: "yes" | "compacted" | "taken-back";
  /** The entries that a compaction replaced, and whether it is in effect. */
  readonly boundary?: {
    readonly from: number;
    readonly to: number;
    readonly inEffect: "yes" | "compacted-again" | "taken-back";
  };
}

const AT_ONCE = 500;

/**
 * Reads the entries of a session, with their current state.
 * @param newest read only this many entries from the end. @default all
 */
export async function readTranscript(
  log: LogReader,
  newest: number = Number.POSITIVE_INFINITY,
): Promise<readonly TranscriptEntry[]> {
  return toTranscript(await readNewest(log, newest));
}

/** Reads the newest entries of a session, without those that were rewound. */
export async function readStanding(log: LogReader, newest: number): Promise<readonly Entry[]> {
  const entries = await readNewest(log, newest);
  const onBranch = branchOf(entries);
  return entries.filter(({ sequence }) => onBranch.has(sequence));
}

async function readNewest(log: LogReader, newest: number): Promise<readonly Entry[]> {
  const { sequence } = await log.head();
  const entries: Entry[] = [];
  for (let at = Math.max(1, sequence - newest + 1); at <= sequence; at += AT_ONCE)
    entries.push(...(await log.read(at, Math.min(sequence, at + AT_ONCE - 1))));
  return entries;
}

/** Computes the transcript of consecutive entries that end with the newest entry. Pure. */
function toTranscript(entries: readonly Entry[]): readonly TranscriptEntry[] {
  const onBranch = branchOf(entries);
  const restored = new Set(
    entries.flatMap((entry) => {
      const read = readPayload(entry);
      return read.kind === "restore" && onBranch.has(entry.sequence) ? [read.payload.of] : [];
    }),
  );
  const hidden = entries.flatMap((entry) => {
    const read = readPayload(entry);
    if (read.kind !== "boundary" && read.kind !== "replace") return [];
    const isInEffect = onBranch.has(entry.sequence) && !restored.has(entry.sequence);
    return isInEffect ? [{ entry: entry.sequence, kind: read.kind, from: read.payload.from, to: read.payload.to }] : [];
  });
  const isHidden = (entry: number): boolean => hidden.some(({ from, to }) => from <= entry && entry <= to);
  return entries.flatMap((entry) => {
    const { sequence } = entry;
    const seen = !onBranch.has(sequence) ? "taken-back" : isHidden(sequence) ? "compacted" : "yes";
    const shown = describe(entry, seen);
    if (shown?.boundary === undefined) return shown === undefined ? [] : [shown];
    const isAgain = hidden.some((one) => one.entry > sequence && one.kind === "boundary");
    const isUndone = restored.has(sequence) || seen === "taken-back";
    const inEffect = isUndone ? "taken-back" : isAgain ? "compacted-again" : "yes";
    return [{ ...shown, seen: isUndone ? "taken-back" : "yes", boundary: { ...shown.boundary, inEffect } }];
  });
}

/** The entries that lead to the newest entry. Rewound entries are not among them. */
function branchOf(entries: readonly Entry[]): ReadonlySet<number> {
  const parents = new Map(entries.map(({ sequence, parent }) => [sequence, parent]));
  const branch = new Set<number>();
  for (let at = entries.at(-1)?.sequence; at !== undefined && at > 0; at = parents.get(at)) branch.add(at);
  return branch;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

function describe(entry: Entry, seen: TranscriptEntry["seen"]): TranscriptEntry | undefined {
  const text = entryText(entry);
  if (text === undefined) return undefined;
  const common = { entry: entry.sequence, text: cleanText(text), seen };
  const read = readPayload(entry);
  switch (read.kind) {
    case "message": {
      const { origin, blocks, stored } = read.payload;
      const calls = blocks.flatMap((block) => (block.kind === "tool_call" ? [block.name] : []));
      const size = stored === undefined ? "" : ` (${stored.bytes} bytes in a file)`;
      const who = origin === "human" ? "you" : origin;
      const edits = calls.some((name) => name === "Edit" || name === "Write") ? { edits: blocks } : {};
      return {
        ...common,
        ...edits,
        who,
        title: `${calls.length === 0 ? "" : `calls ${calls.join(", ")}`}${size}`.trim(),
      };
    }
    case "attachment":
      return { ...common, who: "attached", title: read.payload.type };
    case "boundary": {
      const { from, to, compaction, reason } = read.payload;
      const sizes =
        compaction === undefined
          ? reason
          : `${count(compaction.tokensBefore)} -> ${count(compaction.tokensAfter)} tokens`;
      return {
        ...common,
        text: cleanText(`${reasonsText(compactionReasons(read.payload))}\n\n${text}`),
        who: "boundary",
        title: `of entries ${from} to ${to}: ${sizes}`,
        boundary: { from, to, inEffect: "yes" },
      };
    }
    case "replace": {
      const { from, to, reason } = read.payload;
      return { ...common, who: "taken-out", title: `entries ${from} to ${to}: ${reason}` };
    }
    default:
      return undefined;
  }
}

/** Why the conversation was compacted at this moment, and why not earlier. */
export function reasonsText({ because, notEarlier }: CompactionReasons): string {
  return notEarlier === undefined ? `Why: ${because}` : `Why: ${because}\nWhy not earlier: ${notEarlier}`;
}

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "-", skipped: "⋮" };

/** Shows calls of Edit and Write as diffs, as in their permission dialog. Other entries stay unchanged. */
export async function showChanges(entries: readonly TranscriptEntry[]): Promise<readonly TranscriptEntry[]> {
  return Promise.all(entries.map(showChange));
}

async function showChange(entry: TranscriptEntry): Promise<TranscriptEntry> {
  const { edits } = entry;
  if (edits === undefined) return entry;
  const lines: string[] = [];
  const kinds: (DiffLine["kind"] | undefined)[] = [];
  const add = (text: string, kind?: DiffLine["kind"]): void => {
    for (const line of cleanText(text).split("\n")) {
      lines.push(line);
      kinds.push(kind);
    }
  };
  for (const block of edits) {
    const change = changeOf(block);
    if (change === undefined) {
      if (block.kind === "text") add(block.text);
      if (block.kind === "tool_call") add(`[call of ${block.name}] ${JSON.stringify(block.input) ?? ""}`);
      continue;
    }
    const { tool, path, before = "", after } = change;
    const diff = await diffLines(withBreak(before), withBreak(after));
    add(`${tool} ${path} (+${diff.added} -${diff.removed})`);
    for (const { kind, text } of diff.lines) add(`${SIGNS[kind]} ${text}`, kind);
  }
  return { ...entry, text: lines.join("\n"), kinds };
}

/** Adds a line break, because a diff reports a missing one. */
function withBreak(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

interface WrittenChange {
  readonly tool: "Edit" | "Write";
  readonly path: string;
  /** The replaced text. Undefined for Write, which replaces the whole file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** The file change that a call of Edit or Write makes. Undefined for other blocks. */
export function changeOf(block: Block): WrittenChange | undefined {
  if (block.kind !== "tool_call") return undefined;
  const fields = (block.input ?? {}) as Readonly<Record<string, unknown>>;
  const { file_path: path, content, old_string: before, new_string: after } = fields;
  if (typeof path !== "string") return undefined;
  if (block.name === "Write" && typeof content === "string")
    return { tool: "Write", path, before: undefined, after: content };
  if (block.name !== "Edit" || typeof before !== "string" || typeof after !== "string") return undefined;
  return { tool: "Edit", path, before, after };
}
