import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { NamedText, Store } from "palimpsest";
import { withinTag } from "palimpsest/inspect";
import { sanitize } from "palimpsest/sanitize";
import { object, optional, text } from "palimpsest/schema";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import {
  type FindUnseen,
  MAX_INSTRUCTING_BYTES,
  readInstructing,
  unseenFiles,
  unseenText,
} from "../../permissions/unseen-file.ts";
import { readFrontmatter } from "../../text/frontmatter.ts";

const MAX_SKILLS = 20;

/**
 * Adds skills: instructions for kinds of tasks, in Markdown files of the user and the project. The model sees their
 * names and descriptions, and reads a skill in full when it uses the skill. Used skills are rehydrated after a
 * compaction.
 */
export async function skillsExtension({
  guard,
  places,
  store,
  commandTimes,
}: Pick<ExtensionContext, "guard" | "places" | "store" | "commandTimes">): Promise<Extension> {
  const { agentHome } = places;
  const ofProject = await guard.locate(".palimpsest/skills");
  const folders: SkillFolder[] = [{ path: join(agentHome, "skills"), of: "user" }];
  if (ofProject.kind === "inside") folders.push({ path: ofProject.path, of: "project" });
  const findUnseen = unseenFiles(commandTimes, agentHome);
  const { skills, problems } = await findSkills(folders, findUnseen);
  return {
    name: "skills",
    problems,
    tools: () => [skillTool(skills, findUnseen)],
    surroundings: (session) => ({ skills: () => readUsedSkills(store, session) }),
  };
}

/** Reads the skills that a session has used, newest first. */
export async function readUsedSkills(store: Store, session: string): Promise<readonly NamedText[]> {
  const used = new Map<string, string>();
  for await (const { call, text } of answeredCalls(store, session)) {
    const { skill } = (call.input ?? {}) as { readonly skill?: unknown };
    if (call.name === SKILL && typeof skill === "string" && !used.has(skill)) used.set(skill, text);
    if (used.size >= MAX_SKILLS) break;
  }
  return [...used].map(([name, text]) => ({ name, text }));
}

const SKILL = "Skill";

/**
 * Shows the instructions of a skill to the model.
 * @param skills the skills, read once, because their names are part of the tool's description and so of the prompt
 * @param findUnseen finds skills that the user has to review first. @default none
 */
export function skillTool(skills: readonly Skill[], findUnseen?: FindUnseen): AgentTool {
  const lines = skills.map(listed);
  return agentTool({
    name: SKILL,
    description: `Shows instructions for a kind of task, written by the user or the project. Follow them where they fit.\n${lines.join("\n") || "There are none."}`,
    inputSchema: object({
      skill: text("Its name."),
      arguments: optional(text("What it is to be used on.")),
    }),
    concurrency: "safe",
    effect: "read",
    results: "kept",
    async execute({ skill: wanted, arguments: given }) {
      const skill = skills.find(({ name }) => name === wanted);
      if (skill === undefined)
        return failed(
          `There is no skill ${JSON.stringify(wanted)}. There are: ${skills.map(({ name }) => name).join(", ") || "none"}.`,
        );
      const read = await readSkill(skill, findUnseen);
      if (read.kind === "unseen") return failed(`${unseenText(skill.path)} Go on without it, and tell the user.`);
      const said = readFrontmatter(read.text).body;
      const head = `Skill ${skill.name}, its files are in ${dirname(skill.path)}.${given === undefined ? "" : ` To be used on: ${given}`}`;
      return done(`${head}\n\n${said}`);
    },
  });
}

/** A project's skill description is data inside our tool description. */
function listed({ name, description, of }: Skill): string {
  return of === "user"
    ? `- ${name}: ${description}`
    : `- ${name}: ${withinTag("marked-data", { from: "project", name: "skills" }, description)}`;
}

/** Instructions for a kind of task, in a file. */
interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly of: "user" | "project";
}

interface SkillFolder {
  readonly path: string;
  readonly of: Skill["of"];
}

interface FoundSkills {
  /** The skills, the user's first. */
  readonly skills: readonly Skill[];
  /** Skills that are not used, one line each. */
  readonly problems: readonly string[];
}

const NAME = /^[\w.-]{1,64}$/;
const MAX_DESCRIPTION_CHARACTERS = 300;

/**
 * Finds skills in some folders: `NAME.md`, or `NAME/SKILL.md` with further files. For the same name, the skill of the
 * earlier folder is used, so a project cannot replace a user's skill. A missing folder has no skills.
 * @param findUnseen finds project files that the user has to review first. @default none
 */
export async function findSkills(folders: readonly SkillFolder[], findUnseen?: FindUnseen): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const { path: folder, of } of folders) {
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    // Skips links, because a repository could otherwise present any file of the user as a skill.
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

type ReadSkill = { readonly kind: "read"; readonly text: string } | { readonly kind: "unseen" };

/**
 * Reads the current text of a skill, unless a command has changed the file and the user has not reviewed it. Rejects
 * for a link or a file that is too long.
 */
async function readSkill({ path, of }: Pick<Skill, "path" | "of">, findUnseen?: FindUnseen): Promise<ReadSkill> {
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
