import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory, readFrontmatter } from "@palimpsest/memory";
import { parseDocument } from "yaml";
import type { Figures } from "../bench.ts";
import { AWKWARD_HEADS, type AwkwardHead } from "./awkward-heads.ts";

/** How many heads are read as meant, and how many keep every other line to the byte when one field changes. */
export async function compareFrontmatter(): Promise<Figures> {
  const ours = { read: 0, kept: 0 };
  const yaml = { read: 0, kept: 0 };
  for (const head of AWKWARD_HEADS) {
    const text = textOf(head);
    const { values } = readFrontmatter(text);
    ours.read += hasValues(head, (key) => values.get(key));
    ours.kept += keepsLines(head, await changedByMemory(text));
    const document = parseDocument(head.lines.join("\n"), { schema: "failsafe", strict: false, uniqueKeys: false });
    const isRead = document.errors.length === 0;
    yaml.read += isRead ? hasValues(head, (key) => readByYaml(document, key)) : 0;
    document.set("description", "new");
    yaml.kept += isRead ? keepsLines(head, document.toString().replaceAll("\n", head.lineEnding ?? "\n")) : 0;
  }
  return { heads: AWKWARD_HEADS.length, ours, yaml };
}

function readByYaml(document: ReturnType<typeof parseDocument>, key: string): string | undefined {
  const value: unknown = (document.toJS() as Readonly<Record<string, unknown>>)[key];
  return typeof value === "string" ? value : undefined;
}

function textOf({ lines, lineEnding = "\n" }: AwkwardHead): string {
  return ["---", ...lines, "---", "", "The body.", ""].join(lineEnding);
}

async function changedByMemory(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-heads-"));
  await writeFile(join(folder, "topic.md"), text);
  const memory = await openMemory({ folder });
  const topic = (await memory.read("topic"))!;
  const { name, type, body } = topic;
  await memory.write({ slug: "topic", name, type, body, description: "new" }, "user", topic.version);
  const changed = await readFile(join(folder, "topic.md"), "utf8");
  await memory.close();
  await rm(folder, { recursive: true });
  return changed;
}

function hasValues({ values }: AwkwardHead, read: (key: string) => string | undefined): number {
  return Object.entries(values).every(([key, value]) => read(key) === value) ? 1 : 0;
}

function keepsLines({ lines, lineEnding = "\n" }: AwkwardHead, changed: string): number {
  const now = changed.split("\n");
  const kept = lines
    .filter((line) => !line.startsWith("description:"))
    .every((line) => now.includes(`${line}${lineEnding.slice(0, -1)}`));
  return kept && now.some((line) => line.startsWith("description: new")) ? 1 : 0;
}
