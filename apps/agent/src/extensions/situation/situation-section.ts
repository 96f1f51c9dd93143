import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Clock } from "palimpsest";
import type { HeadSection } from "../../extension/session-head.ts";

export interface SituationOptions {
  /** The project's. */
  readonly folder: string;
  /** @default the system's clock */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * The day, and the branch of git. They stand in the head as they were when it was made, so that what is sent before stays the
 * same; a day that has begun since is told at the end. What was changed in files is left to the model's own `git status`: to
 * run git unasked would run what a folder's own configuration of git names.
 */
export function situationSection({ folder, clock = { now: Date.now } }: SituationOptions): HeadSection {
  const today = (): string => `Today is ${dayOf(clock.now())}.`;
  return {
    async text() {
      const branch = await readBranch(folder);
      return branch === undefined ? today() : `${today()} The project is on the git branch ${branch}.`;
    },
    async changes(shown) {
      // The newest day that was told; a session of another agent was told none.
      const told = shown
        .join("\n")
        .match(/\bToday is \d{4}-\d{2}-\d{2}\./g)
        ?.at(-1);
      return told === today() ? undefined : today();
    },
  };
}

/** In the time zone of the user. */
function dayOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Undefined outside of git, between branches, and for names that could say something else. */
async function readBranch(folder: string): Promise<string | undefined> {
  const head = await readGitHead(folder);
  return head === undefined ? undefined : /^ref: refs\/heads\/([\w./-]{1,100})$/.exec(head.trim())?.[1];
}

async function readGitHead(folder: string): Promise<string | undefined> {
  const inFolder = await readText(join(folder, ".git", "HEAD"));
  if (inFolder !== undefined) return inFolder;
  // Of a worktree it is a file that says where.
  const elsewhere = /^gitdir: (.+)$/m.exec((await readText(join(folder, ".git"))) ?? "")?.[1];
  if (elsewhere !== undefined) return readText(join(resolve(folder, elsewhere.trim()), "HEAD"));
  const above = dirname(folder);
  return above === folder ? undefined : readGitHead(above);
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
