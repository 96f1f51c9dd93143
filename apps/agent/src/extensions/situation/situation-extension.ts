import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Clock } from "palimpsest";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { HeadSection } from "../../extension/session-head.ts";

/** Adds the day and the git branch to the head. */
export function situationExtension({ folder, clock }: Pick<ExtensionContext, "folder" | "clock">): Extension {
  return { name: "situation", head: situationSection({ folder, clock }) };
}

interface SituationOptions {
  /** The project folder. */
  readonly folder: string;
  /** The clock. @default the system's clock */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * The day and the git branch. The head keeps their first values, so that the beginning of the prompt stays unchanged; a
 * new day is appended. The model runs `git status` itself, because running git without permission could run programs
 * that the folder's git configuration names.
 */
export function situationSection({ folder, clock = { now: Date.now } }: SituationOptions): HeadSection {
  const today = (): string => `Today is ${dayOf(clock.now())}.`;
  return {
    async text() {
      const branch = await readBranch(folder);
      return branch === undefined ? today() : `${today()} The project is on the git branch ${branch}.`;
    },
    async changes(shown) {
      // The newest day in the conversation. An imported session of another agent may have none.
      const shownDay = shown
        .join("\n")
        .match(/\bToday is \d{4}-\d{2}-\d{2}\./g)
        ?.at(-1);
      return shownDay === today() ? undefined : today();
    },
  };
}

/** The day in the user's time zone. */
function dayOf(atMs: number): string {
  const at = new Date(atMs);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The current branch. Undefined outside of git, without a branch, and for names that could be read as instructions. */
async function readBranch(folder: string): Promise<string | undefined> {
  const head = await readGitHead(folder);
  return head === undefined ? undefined : /^ref: refs\/heads\/([\w./-]{1,100})$/.exec(head.trim())?.[1];
}

async function readGitHead(folder: string): Promise<string | undefined> {
  const inFolder = await readText(join(folder, ".git", "HEAD"));
  if (inFolder !== undefined) return inFolder;
  // In a worktree, `.git` is a file with the path of the git folder.
  const elsewhere = /^gitdir: (.+)$/m.exec((await readText(join(folder, ".git"))) ?? "")?.[1];
  if (elsewhere !== undefined) return readText(join(resolve(folder, elsewhere.trim()), "HEAD"));
  const above = dirname(folder);
  return above === folder ? undefined : readGitHead(above);
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
