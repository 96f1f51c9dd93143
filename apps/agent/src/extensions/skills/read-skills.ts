import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readFrontmatter } from "../../text/frontmatter.ts";
import { readUnlinked } from "../../workspace/read-unlinked.ts";

/** Instructions for a kind of task, in a file that people write. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
}

const NAME = /^[\w.-]{1,64}$/;
const MAX_DESCRIPTION_CHARACTERS = 300;

/**
 * Reads the skills of some folders: `NAME.md`, or `NAME/SKILL.md` with further files. If two have the same name, the one of the
 * earlier folder is used. A missing folder has no skills.
 */
export async function readSkills(folders: readonly string[]): Promise<readonly Skill[]> {
  const skills = new Map<string, Skill>();
  for (const folder of folders) {
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    // Links are skipped: otherwise a repository could present any file of the user as a skill.
    const paths = found.flatMap((entry) => {
      if (entry.isDirectory()) return [join(folder, entry.name, "SKILL.md")];
      return entry.isFile() && entry.name.endsWith(".md") ? [join(folder, entry.name)] : [];
    });
    for (const path of paths.sort()) {
      const text = await readUnlinked(path).catch(() => undefined);
      const skill = text === undefined ? undefined : toSkill(text, path);
      if (skill !== undefined && !skills.has(skill.name)) skills.set(skill.name, skill);
    }
  }
  return [...skills.values()];
}

function toSkill(text: string, path: string): Skill | undefined {
  const { field } = readFrontmatter(text);
  const fileName = path.endsWith("/SKILL.md") ? path.split("/").at(-2) : path.split("/").at(-1)?.slice(0, -3);
  const name = field("name") || fileName;
  const description = field("description");
  if (name === undefined || !NAME.test(name) || !description) return undefined;
  return { name, path, description: description.slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed() };
}
