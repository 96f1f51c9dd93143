import type { Memory } from "./memory.ts";
import type { StagedOutcome } from "./outcomes.ts";
import { isSlug, slugOf } from "./slug.ts";
import type { Author, Topic, TopicDraft } from "./topic.ts";
import { readTopicText } from "./topic-text.ts";

/** Commands of a model that knows memory as a folder of files. */
export type FileCommand =
  | { readonly command: "view"; readonly path: string; readonly view_range?: readonly [from: number, to: number] }
  | { readonly command: "create"; readonly path: string; readonly file_text: string }
  | { readonly command: "str_replace"; readonly path: string; readonly old_str: string; readonly new_str?: string }
  | { readonly command: "insert"; readonly path: string; readonly insert_line: number; readonly insert_text: string }
  | { readonly command: "delete"; readonly path: string }
  | { readonly command: "rename"; readonly old_path: string; readonly new_path: string };

/** The folder's name in paths, and the author of changes. */
export interface FileCommandOptions {
  /** The model's name for the folder. @default "/memories" */
  readonly root?: string;
  /** @default "model" */
  readonly by?: Author;
}

/** The text for the model. `refused`: nothing was changed, and the text says why. */
export interface FileAnswer {
  readonly kind: "done" | "refused";
  readonly text: string;
}

type Field = "path" | "file_text" | "old_str" | "insert_text" | "old_path" | "new_path";

const FIELDS: Readonly<Record<FileCommand["command"], readonly Field[]>> = {
  view: ["path"],
  create: ["path", "file_text"],
  str_replace: ["path", "old_str"],
  insert: ["path", "insert_text"],
  delete: ["path"],
  rename: ["old_path", "new_path"],
};
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;

/**
 * The memory as a folder of files, for models that were trained on such a tool: each file is a topic, with the memory's own
 * rules. Nothing is overwritten unseen, what is deleted is forgotten with its text kept, and the index is not a file to edit.
 * Whose words they are, when, and on what evidence is not for the model to write: those fields stay as the memory has them.
 *
 * @param input what the model asked for, unchecked
 */
export async function runFileCommand(
  memory: Memory,
  input: unknown,
  { root = "/memories", by = "model" }: FileCommandOptions = {},
): Promise<FileAnswer> {
  const asked = readCommand(input);
  if (typeof asked === "string") return no(asked);
  const first = locate("path" in asked ? asked.path : asked.old_path, root);
  if ("why" in first) return no(first.why);
  if (asked.command === "view" && first.kind !== "topic") {
    return yes(
      first.kind === "folder" ? await listing(memory, root) : ((await memory.head()) ?? "The index is empty."),
    );
  }
  if (first.kind !== "topic") return no(`${first.path} cannot be changed: it follows from the topics. Change those.`);
  const { slug, path } = first;
  const topic = await memory.read(slug);
  if (asked.command === "create") {
    if (topic !== undefined) return no(`${path} is there already. View it, then change it.`);
    return emit(path, await memory.write(toDraft(slug, asked.file_text), by, "none"));
  }
  if (topic === undefined) return no(`There is no ${path}. View ${root} for what there is.`);
  switch (asked.command) {
    case "view":
      return yes(numbered(topic, path, asked.view_range));
    case "delete":
      return emit(path, await memory.forget(slug, by, `removed by the ${by}`, topic.version));
    case "rename": {
      const second = locate(asked.new_path, root);
      if ("why" in second) return no(second.why);
      if (second.kind !== "topic") return no(`${second.path} is no name for a topic.`);
      return emit(second.path, await memory.rename(slug, second.slug, by, topic.version));
    }
    default: {
      const changed = asked.command === "insert" ? insertInto(topic, asked) : replaceIn(topic, asked);
      if ("why" in changed) return no(`${path}: ${changed.why}`);
      return emit(path, await memory.write(toDraft(slug, changed.text), by, topic.version));
    }
  }
}

/** Parses the command, or says what is wrong with it. */
function readCommand(input: unknown): FileCommand | string {
  const asked = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const command = String(asked["command"]);
  if (!Object.hasOwn(FIELDS, command))
    return `There is no command ${quote(command)}. Use ${Object.keys(FIELDS).join(", ")}.`;
  const missing = FIELDS[command as FileCommand["command"]].find((field) => typeof asked[field] !== "string");
  if (missing !== undefined) return `${command} needs ${missing}, a text.`;
  if (command === "insert" && !Number.isSafeInteger(asked["insert_line"])) return "insert needs insert_line, a number.";
  if (command === "str_replace" && !["string", "undefined"].includes(typeof asked["new_str"]))
    return "new_str is a text.";
  return asked as unknown as FileCommand;
}

type Located =
  | { readonly kind: "folder" | "index"; readonly path: string }
  | { readonly kind: "topic"; readonly path: string; readonly slug: string }
  | { readonly why: string };

/** Only names directly below the root: a topic has no folders, and no path leads elsewhere. */
function locate(path: string, root: string): Located {
  if (path === root || path === `${root}/`) return { kind: "folder", path: root };
  const name = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : "";
  if (name === "MEMORY.md") return { kind: "index", path };
  const base = name.replace(/\.[A-Za-z0-9]{1,8}$/, "");
  if (!FILE_NAME.test(name) || base === "") {
    return { why: `${quote(path)} is no file of the memory. Use ${root}/NAME.md, with no folders in between.` };
  }
  const slug = isSlug(base) ? base : slugOf(base);
  return { kind: "topic", path: `${root}/${slug}.md`, slug };
}

async function listing(memory: Memory, root: string): Promise<string> {
  const topics = await memory.list();
  if (topics.length === 0) return `${root} is empty.`;
  const lines = topics.map(({ slug, type, updatedAtMs, description }) => {
    const day = new Date(updatedAtMs).toISOString().slice(0, 10);
    return `${root}/${slug}.md (${type}, ${day}): ${description}`;
  });
  return [`${root} has ${topics.length} files, besides the index (${root}/MEMORY.md):`, ...lines].join("\n");
}

function numbered({ text }: Topic, path: string, range: readonly [number, number] | undefined): string {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const from = Math.max(1, Math.trunc(range?.[0] ?? 1) || 1);
  if (from > lines.length) return `${path} has ${lines.length} lines: there is no line ${from}.`;
  const to = range === undefined || range[1] === -1 ? lines.length : Math.trunc(range[1]) || lines.length;
  const shown = lines.slice(from - 1, to).map((line, at) => `${String(from + at).padStart(6)}\t${line}`);
  return [`${path}, lines ${from} to ${from + shown.length - 1} of ${lines.length}:`, ...shown].join("\n");
}

type Changed = { readonly text: string } | { readonly why: string };

function replaceIn(topic: Topic, { old_str: old, new_str = "" }: { old_str: string; new_str?: string }): Changed {
  const { text } = topic;
  const places = countOf(old, text);
  // Literally, with any dollar signs in it. What the memory repeats in the head is changed there, too: the model wrote it once.
  if (countOf(old, topic.body) === 1 && places === 1 + repeatsOf(old, topic))
    return { text: text.replaceAll(old, () => new_str) };
  if (places === 0) return { why: `the text to replace does not stand there. View it again, and copy it exactly.` };
  if (places > 1) return { why: `the text to replace stands there ${places} times. Take more of what is around it.` };
  return { text: text.replace(old, () => new_str) };
}

function countOf(part: string, text: string): number {
  return part === "" ? 0 : text.split(part).length - 1;
}

/** How often the text stands in a description that was made from the body. */
function repeatsOf(part: string, { slug, description, body }: Topic): number {
  return toDraft(slug, body).description === description ? countOf(part, description) : 0;
}

function insertInto({ text }: Topic, asked: { insert_line: number; insert_text: string }): Changed {
  const lines = text.replace(/\n$/, "").split("\n");
  const { insert_line: at, insert_text: added } = asked;
  if (at < 0 || at > lines.length) return { why: `it has ${lines.length} lines: insert_line is 0 to ${lines.length}.` };
  // The head is the memory's own: above it, a text would make it a part of the body.
  const place = at === 0 ? headLines(lines) : at;
  const inserted = added.replace(/\n$/, "").split("\n");
  return { text: [...lines.slice(0, place), ...inserted, ...lines.slice(place), ""].join("\n") };
}

/** The lines of a file's head, with the blank line below it. */
function headLines(lines: readonly string[]): number {
  const end = lines[0] === "---" ? lines.indexOf("---", 1) + 1 : 0;
  return end > 0 && lines[end] === "" ? end + 1 : end;
}

/** A file as a model writes it, often without a head. */
function toDraft(slug: string, text: string): TopicDraft {
  const { name, description, type, body } = readTopicText(text, slug);
  const cut = (line: string, most: number): string => [...line].slice(0, most).join("");
  return { slug, name: cut(name, 80), description: cut(description, 400) || cut(name, 80), type, body };
}

function emit(path: string, outcome: StagedOutcome): FileAnswer {
  switch (outcome.kind) {
    case "written": {
      const told = outcome.forgotten === undefined ? "" : ` It was forgotten before: ${outcome.forgotten.because}.`;
      return yes(
        `${path} ${outcome.version === "none" ? "was removed; the user can bring it back" : "was written"}.${told}`,
      );
    }
    case "proposed":
      return no(`${path} was not written: ${outcome.why}. It waits for the user's yes; go on without it.`);
    case "unchanged":
      return no(`${path} is as it was: what you changed is kept by the memory itself, or says the same.`);
    case "stale":
      return no(`${path} was not written: someone has changed it, or its new name is taken. View it again.`);
    case "refused":
      return no(`${path} was not changed. ${outcome.why}`);
  }
}

function yes(text: string): FileAnswer {
  return { kind: "done", text };
}

function no(text: string): FileAnswer {
  return { kind: "refused", text };
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
