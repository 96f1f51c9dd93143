import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { PathGuard } from "../workspace/path-guard.ts";
import type { AgentSettings } from "./settings.ts";

/** What a hook writes to is not what it runs: a log that it keeps must stay writable. */
const WRITTEN = />>?\|?\s*[^\s;|&()<>]+/g;
/** More than a program in a repository has; of a larger file the beginning counts. */
const MAX_BYTES = 16_777_216;

/**
 * Files of the project that hooks and servers of the settings name, as far as can be told from their words. They run with the
 * user's rights, so commands cannot change them, and trust in the settings covers what is in them.
 */
export async function namedFiles(
  { hooks = [], servers = [] }: Partial<Pick<AgentSettings, "hooks" | "servers">>,
  guard: PathGuard,
): Promise<readonly string[]> {
  const lines = [
    ...hooks.map(({ command }) => (typeof command === "string" ? command : command.join(" "))),
    ...servers.flatMap((server) => ("command" in server ? [server.command.join(" ")] : [])),
  ];
  const words = new Set(
    lines.flatMap((line) =>
      line
        .replace(WRITTEN, " ")
        .split(/[\s'"`;|&()<>=$]+/)
        .filter(Boolean),
    ),
  );
  // What `npm run lint` runs stands in here.
  if (lines.some((line) => /\b(npm|npx|yarn|pnpm|bun)\b/.test(line))) words.add("package.json");
  if (lines.some((line) => /\bmake\b/.test(line))) words.add("Makefile");
  const found = await Promise.all([...words].map((word) => fileInside(word, guard)));
  return [...new Set(found.flat())].sort();
}

/** The hash of settings together with the files that they name. Settings that name none keep their own hash. */
export async function hashWithFiles(hash: string, paths: readonly string[]): Promise<string> {
  if (paths.length === 0) return hash;
  const digest = createHash("sha256").update(hash);
  for (const path of paths) {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    digest.update(`\0${path}\0${bytes.length}\0`).update(bytes.subarray(0, MAX_BYTES));
  }
  return digest.digest("hex");
}

async function fileInside(word: string, guard: PathGuard): Promise<readonly string[]> {
  const located = await guard.locate(word).catch(() => undefined);
  if (located?.kind !== "inside") return [];
  const facts = await stat(located.path).catch(() => undefined);
  return facts?.isFile() === true ? [located.path] : [];
}
