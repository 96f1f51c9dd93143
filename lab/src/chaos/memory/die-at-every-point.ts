import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openMemory } from "@palimpsest/memory";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { auditMemory } from "./audit-memory.ts";
import { prepare } from "./change-memory.ts";

export interface Deaths {
  readonly points: number;
  /** At which step, and what was wrong then. */
  readonly broken: readonly string[];
}

/** What the topics may look like: before the first change, and after each. */
const STATES: readonly string[] = [
  "a=a b=b c=c d=d",
  "a=changed b=b c=c d=d",
  "a=changed b=merged bc=merged c=merged d=d",
  "a=changed b=merged bc=merged c=merged",
];
const ORDER = ["write", "batch", "forget"];

/**
 * Lets a process die before each step that it takes on the disk, and looks what the next one finds: all that was acknowledged,
 * and of the change that was under way all or nothing.
 */
export async function dieAtEveryPoint(everyNth: number): Promise<Deaths> {
  return inTemporaryFolder(async (base) => {
    const prepared = join(base, "prepared");
    await prepare(prepared);
    const broken: string[] = [];
    let points = 0;
    for (let point = 1; ; point += everyNth) {
      const folder = join(base, `memory-${point}`);
      cpSync(prepared, folder, { recursive: true });
      const { told, ending } = await die(folder, point);
      if (ending === "lived") return { points, broken };
      points++;
      broken.push(...(await judge(folder, told)).map((what) => `step ${point}: ${what}`));
    }
  });
}

async function judge(folder: string, told: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  const memory = await openMemory({ folder });
  // The next writer carries through what it finds.
  await memory.write({ slug: "next", name: "next", description: "next", type: "project", body: "x" }, "model", "none");
  const topics = (await memory.list()).filter(({ slug }) => slug !== "next");
  const authors = topics.filter(({ author }) => author === "user").map(({ slug }) => slug);
  await memory.close();
  const found = topics.map(({ slug, description }) => `${slug}=${description}`).join(" ");
  const state = STATES.indexOf(found);
  const atLeast = Math.max(0, ...told.map((name) => ORDER.indexOf(name) + 1));
  if (state < atLeast || state > atLeast + 1) wrong.push(`after ${told.join(", ") || "nothing"}: ${found}`);
  if (authors.length > 0) wrong.push(`taken for edits by hand: ${authors.join(", ")}`);
  const losses = await auditMemory(folder, { acknowledged: [], edits: [], kills: 0, reads: 0, tornReads: 0 });
  for (const [name, count] of Object.entries(losses)) if (count > 0) wrong.push(`${name}: ${count}`);
  return wrong;
}

async function die(folder: string, point: number): Promise<{ told: string[]; ending: "died" | "lived" }> {
  const script = fileURLToPath(new URL("./dying-process.ts", import.meta.url));
  const args = ["--conditions=palimpsest-source", "--no-warnings", script, folder, String(point)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    output += chunk;
  });
  const [[code, signal]] = (await Promise.all([once(child, "exit"), once(child.stdout, "end")])) as [
    [number | null, string | null],
    unknown,
  ];
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`The dying process ended with ${signal ?? code}.`);
  return { told: output.split("\n").slice(0, -1), ending: code === 0 ? "lived" : "died" };
}
