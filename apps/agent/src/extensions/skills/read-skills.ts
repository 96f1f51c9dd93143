import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sanitize } from "palimpsest/sanitize";
import { type FindUnseen, MAX_INSTRUCTING_BYTES, readInstructing, unseenText } from "../../permissions/unseen-file.ts";
import { readFrontmatter } from "../../text/frontmatter.ts";

/** Instructions for a kind of task, in a file that people write. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly of: "user" | "project";
}

export interface SkillFolder {
  readonly path: string;
  readonly of: Skill["of"];
}

export interface FoundSkills {
  /** The user's first. */
  readonly skills: readonly Skill[];
  /** Skills that are not used, one line each. */
  readonly problems: readonly string[];
}

const NAME = /^[\w.-]{1,64}$/;
const MAX_DESCRIPTION_CHARACTERS = 300;

/**
 * Reads the skills of some folders: `NAME.md`, or `NAME/SKILL.md` with further files. If two have the same name, the one of the
 * earlier folder is used: a project cannot take the place of a skill of the user's. A missing folder has no skills.
 * @param findUnseen whether the user has to see a file of the project first. @default none
 */
export async function findSkills(folders: readonly SkillFolder[], findUnseen?: FindUnseen): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const { path: folder, of } of folders) {
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    // Links are skipped: otherwise a repository could present any file of the user as a skill.
    const paths = found.flatMap((entry) => {
      if (entry.isDirectory()) return [join(folder, entry.name, "SKILL.md")];
      return entry.isFile() && entry.name.endsWith(".md") ? [join(folder, entry.name)] : [];
    });
    for (const path of paths.sort()) {
      const read = await readSkill({ path, of }, findUnseen).catch(() => undefined);
      if (read?.kind === "unseen") problems.push(unseenText(path));
      const skill = read?.kind === "read" ? toSkill(read.text, { path, of }) : undefined;
      if (skill === undefined) continue;
      const other = skills.get(skill.name);
      if (other === undefined) skills.set(skill.name, skill);
      else problems.push(`The skill ${skill.name} in ${path} is not used: ${other.path} has the same name.`);
    }
  }
  return { skills: [...skills.values()], problems };
}

export type ReadSkill = { readonly kind: "read"; readonly text: string } | { readonly kind: "unseen" };

/** Reads a skill as it is now, unless a command has changed it and the user has not seen it. Rejects if it is a link, or too long. */
export async function readSkill({ path, of }: Pick<Skill, "path" | "of">, findUnseen?: FindUnseen): Promise<ReadSkill> {
  const file = await readInstructing(path);
  if (file.bytes.length >= MAX_INSTRUCTING_BYTES)
    throw new Error(`${path} has more than ${MAX_INSTRUCTING_BYTES} bytes: it is too long for a skill.`);
  if (of === "project" && (await findUnseen?.(file)) !== undefined) return { kind: "unseen" };
  return { kind: "read", text: Buffer.from(file.bytes).toString("utf8") };
}

function toSkill(text: string, { path, of }: Pick<Skill, "path" | "of">): Skill | undefined {
  const { field } = readFrontmatter(text);
  const fileName = path.endsWith("/SKILL.md") ? path.split("/").at(-2) : path.split("/").at(-1)?.slice(0, -3);
  const name = field("name") || fileName;
  const description = field("description");
  if (name === undefined || !NAME.test(name) || !description) return undefined;
  return { name, path, of, description: sanitize(description.slice(0, MAX_DESCRIPTION_CHARACTERS)) };
}
