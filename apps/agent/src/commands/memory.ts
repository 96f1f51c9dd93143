import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type FolderMemory,
  openMemory,
  type TopicDraft,
  textOfTopic,
  type UndoOutcome,
  type WriteOutcome,
} from "@palimpsest/memory";
import type { Store } from "palimpsest";
import { notesFolder } from "../extensions/agents/agent-notes.ts";
import { loadDefinitions } from "../extensions/agents/load-definitions.ts";
import { describeEvidence, dismissedText, outcomeText } from "../extensions/memory/memory-text.ts";
import { table, time } from "../text/table.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inOperatedProject } from "./open-project.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const WORDS = COMMANDS.memory.operands.completes;
type Word = (typeof WORDS)[number];

/** The result of a subcommand: for people, for programs, and as an exit code. */
interface Report {
  readonly text: string;
  readonly value: unknown;
  readonly exitCode?: number;
}

/** The base folder of file names, and the sessions that memories quote. */
interface Place {
  readonly folder: string;
  readonly store: Pick<Store, "openReader">;
}

/** Shows the memory, and lets the user approve, change and undo memories. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.memory);
  const [first = "list", ...rest] = positionals;
  const word = oneOf("memory", first, WORDS)!;
  return inOperatedProject(terminal, async ({ folder, places, store }, { onEvent }) => {
    const kept = values.agent === undefined ? places.memory : await folderOf(values.agent, folder, places);
    const { clock } = terminal;
    const memory = await openMemory({
      folder: kept,
      clock,
      // The user decides here outside of any session.
      emit: (newEvent) => onEvent?.({ ...newEvent, session: "", atMs: clock.now() }),
    });
    try {
      if (word === "serve") {
        const { serveMemory } = await import("../extensions/memory/serve-memory.ts");
        await serveMemory(memory);
        return EXIT.done;
      }
      const {
        text,
        value,
        exitCode = EXIT.done,
      } = await REPORTS[word](memory, rest, {
        folder: terminal.folder,
        store,
      });
      await terminal.print(values.json ? JSON.stringify(value) : text);
      return exitCode;
    } finally {
      await memory.close();
    }
  });
}

/** Finds the memory folder of a kind of agent. */
async function folderOf(agent: string, folder: string, places: Places): Promise<string> {
  const guard = await createPathGuard(folder);
  const { definitions } = await loadDefinitions({ guard, agentHome: places.agentHome });
  const keeping = definitions.filter(({ memory }) => memory !== undefined);
  const kept = keeping.find(({ name }) => name === agent);
  const found = kept && notesFolder(kept, { places, folder });
  if (found !== undefined) return found;
  const names = keeping.map(({ name }) => name).join(", ") || "none";
  throw new UsageError(`No agent named ${JSON.stringify(agent)} has a memory. Agents with a memory: ${names}.`);
}

const REPORTS: Readonly<
  Record<Exclude<Word, "serve">, (memory: FolderMemory, rest: readonly string[], place: Place) => Promise<Report>>
> = {
  async list(memory) {
    const topics = await memory.list();
    const waiting = (await memory.inbox()).length;
    const uses = await memory.uses();
    const rows = topics.map(({ slug, type, author, updatedAtMs, description }) => [
      ...[slug, type, author, time(updatedAtMs), `used ${uses.get(slug)?.count ?? 0} times`, description],
    ]);
    const inbox = waiting === 0 ? "" : `\n${waiting} wait for your yes: palimpsest memory inbox`;
    const shown = topics.length === 0 ? "The memory is empty." : table(rows);
    const value = topics.map((topic) => ({ ...topic, uses: uses.get(topic.slug)?.count ?? 0 }));
    return { text: `${shown}\n${memory.folder}${inbox}`, value };
  },
  async show(memory, [slug = ""], { store }) {
    const topic = await memory.read(slug);
    if (topic === undefined) return noSuch(slug);
    const { type, author, updatedAtMs, recall } = topic;
    const dismissed = recall === "off" ? ", dismissed" : "";
    const head = `${slug} (${type}, by ${author}, changed ${time(updatedAtMs)}${dismissed})`;
    const evidence = await describeEvidence(topic.evidence, store);
    return { text: [head, indented(textOfTopic(topic)), ...evidence.map(indented)].join("\n"), value: topic };
  },
  async search(memory, words) {
    const found = await memory.search(words.join(" "), 10);
    const rows = found.map(({ slug, description }) => [slug, description]);
    return {
      text: rows.length === 0 ? "No topic matches. To list all topics: palimpsest memory" : table(rows),
      value: found,
    };
  },
  async inbox(memory, _, { store }) {
    const proposals = await memory.inbox();
    const texts = await Promise.all(
      proposals.map(async ({ slug, draft, by, why }) => {
        const evidence = await describeEvidence(draft.evidence ?? [], store);
        return [
          `${slug} (${draft.type}, by ${by})`,
          indented(textOfTopic(draft)),
          ...evidence.map(indented),
          `  waits for your yes because ${why}`,
        ].join("\n");
      }),
    );
    const next = "To decide: palimpsest memory accept SLUG, or palimpsest memory reject SLUG";
    return {
      text: texts.length === 0 ? "No memory waits for your yes." : [...texts, next].join("\n"),
      value: proposals,
    };
  },
  accept: async (memory, [slug = ""]) => outcomeReport(await memory.accept(slug)),
  reject: async (memory, [slug = ""]) => outcomeReport(await memory.reject(slug)),
  async dismiss(memory, [slug = ""]) {
    const report = outcomeReport(await memory.setRecall(slug, "off"));
    return report.exitCode === EXIT.done ? { ...report, text: dismissedText(slug) } : report;
  },
  async forget(memory, [slug = "", ...why]) {
    const topic = await memory.read(slug);
    if (topic === undefined) return noSuch(slug);
    return outcomeReport(await memory.forget(slug, "user", why.join(" ") || "forgotten by the user", topic.version));
  },
  async log(memory) {
    const log = await memory.log(50);
    if (log.kind !== "log") return failed(log.why, log);
    const rows = log.commits.map(({ commit, atMs, by, message, changes }) => [
      ...[commit.slice(0, 10), time(atMs), by, `${message} (${changes.length} files)`],
    ]);
    return { text: rows.length === 0 ? "The memory has no changes yet." : table(rows), value: log.commits };
  },
  async diff(memory, [commit]) {
    const diff = await memory.diff(commit);
    if (diff.kind === "diff") return { text: diff.text, value: diff };
    return failed(
      diff.kind === "no-history"
        ? diff.why
        : `There is no change ${commit}. To list the changes: palimpsest memory log`,
      diff,
    );
  },
  async undo(memory, [commit]) {
    if (commit === undefined)
      throw new UsageError(
        "The change is missing: palimpsest memory undo COMMIT. To list the changes: palimpsest memory log.",
      );
    const undone = await memory.undo(commit);
    if (undone.kind !== "undone") return failed(`Nothing was undone: ${undoProblem(undone)}`, undone);
    const left = undone.stale.map((path) => `\nNot undone: ${path} was changed since.`).join("");
    return { text: `Undone: ${undone.restored.join(", ")}${left}`, value: undone };
  },
  async import(memory, files, { folder }) {
    if (files.length === 0) throw new UsageError("The file is missing: palimpsest memory import CLAUDE.md");
    const lines: string[] = [];
    const outcomes: unknown[] = [];
    for (const file of files) {
      for (const draft of readSections(await readText(resolve(folder, file)))) {
        const outcome = await memory.write(draft, "user", "none");
        outcomes.push(outcome);
        lines.push(`${draft.name}: ${outcomeText(outcome)}`);
      }
    }
    return { text: lines.join("\n") || "The file has no sections to import.", value: outcomes };
  },
};

const DESCRIPTION_CHARACTERS = 120;

/** The text of a heading (`## Title ##`). A longer line is none. */
function headingOf(line: string): string | undefined {
  if (line.length > MAX_HEADING_CHARACTERS) return undefined;
  return /^#{1,6}\s(.*[^\s#])[\s#]*$/.exec(line)?.[1]?.trim();
}

const MAX_HEADING_CHARACTERS = 500;

/** Reads the sections of an instruction file as topics. Leaves out text before the first heading. */
export function readSections(markdown: string): readonly TopicDraft[] {
  const sections: { name: string; lines: string[] }[] = [];
  let fence = false;
  for (const line of markdown.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) fence = !fence;
    const heading = fence ? undefined : headingOf(line);
    if (heading !== undefined) sections.push({ name: heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.flatMap(({ name, lines }) => {
    const body = lines.join("\n").trim();
    if (body === "") return [];
    const first = body.replace(/^[-*\s]+/, "").split(/(?<=[.!?])\s|\n/)[0]!;
    const description =
      first.length <= DESCRIPTION_CHARACTERS ? first : `${first.slice(0, DESCRIPTION_CHARACTERS - 1)}…`;
    return [{ name, description, type: "project" as const, body }];
  });
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function undoProblem(outcome: Exclude<UndoOutcome, { readonly kind: "undone" }>): string {
  switch (outcome.kind) {
    case "unknown-commit":
      return "there is no such change. To list the changes: palimpsest memory log";
    case "stale":
      return `these files were changed since: ${outcome.stale.join(", ")}. Edit them by hand.`;
    case "no-history":
    case "refused":
      return outcome.why;
  }
}

function noSuch(slug: string): Report {
  return failed(`There is no topic ${JSON.stringify(slug)}. To list the topics: palimpsest memory`, {
    kind: "not-there",
    slug,
  });
}

function failed(text: string, value: unknown): Report {
  return { text, value, exitCode: EXIT.failed };
}

function outcomeReport(outcome: WriteOutcome): Report {
  const isDone = outcome.kind === "written" || outcome.kind === "unchanged";
  return { text: outcomeText(outcome), value: outcome, exitCode: isDone ? EXIT.done : EXIT.failed };
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
