import { dirname } from "node:path";
import { withinTag } from "palimpsest/inspect";
import { optional, text } from "../../extension/input.ts";
import { type AgentTool, defineTool, done, failed } from "../../extension/tool.ts";
import { type FindUnseen, unseenText } from "../../permissions/unseen-file.ts";
import { readFrontmatter } from "../../text/frontmatter.ts";
import { readSkill, type Skill } from "./read-skills.ts";

export const SKILL = "Skill";

/**
 * Shows the instructions of a skill to the model.
 * @param skills read once, since their names are part of the tool's description and of the prompt
 * @param findUnseen whether the user has to see a skill first. @default none
 */
export function skillTool(skills: readonly Skill[], findUnseen?: FindUnseen): AgentTool {
  const lines = skills.map(listed);
  return defineTool({
    name: SKILL,
    description: `Shows instructions for a kind of task, written by the user or the project. Follow them where they fit.\n${lines.join("\n") || "There are none."}`,
    input: {
      skill: text("Its name."),
      arguments: optional(text("What it is to be used on.")),
    },
    concurrency: "safe",
    effect: "read",
    results: "kept",
    async run({ skill: wanted, arguments: given }) {
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

/** What a project says of its skills is data in a description that is ours. */
function listed({ name, description, of }: Skill): string {
  return of === "user"
    ? `- ${name}: ${description}`
    : `- ${name}: ${withinTag("marked-data", { from: "project", name: "skills" }, description)}`;
}
