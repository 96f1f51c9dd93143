import { join } from "node:path";
import type { NamedText, Store } from "palimpsest";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { unseenFiles } from "../../permissions/unseen-file.ts";
import { findSkills, type SkillFolder } from "./read-skills.ts";
import { SKILL, skillTool } from "./skill.ts";

const MAX_SKILLS = 20;

/**
 * Skills: instructions for a kind of task, in markdown files of the user and the project. The model sees their names and
 * descriptions, reads one in full when it uses it, and has those that it used again after a compaction.
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

/** The skills that a session has used, the newest first. */
export async function readUsedSkills(store: Store, session: string): Promise<readonly NamedText[]> {
  const used = new Map<string, string>();
  for await (const { call, text } of answeredCalls(store, session)) {
    const { skill } = (call.input ?? {}) as { readonly skill?: unknown };
    if (call.name === SKILL && typeof skill === "string" && !used.has(skill)) used.set(skill, text);
    if (used.size >= MAX_SKILLS) break;
  }
  return [...used].map(([name, text]) => ({ name, text }));
}
