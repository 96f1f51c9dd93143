import { dirname } from "node:path";
import { optional, text } from "../../extension/input.ts";
import { type AgentTool, defineTool, done, failed } from "../../extension/tool.ts";
import { readFrontmatter } from "../../text/frontmatter.ts";
import { readUnlinked } from "../../workspace/read-unlinked.ts";
import type { Skill } from "./read-skills.ts";

export const SKILL = "Skill";

/**
 * Shows the instructions of a skill to the model.
 * @param skills read once, since their names are part of the tool's description and of the prompt
 */
export function skillTool(skills: readonly Skill[]): AgentTool {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`);
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
      const said = readFrontmatter(await readUnlinked(skill.path)).body;
      const head = `Skill ${skill.name}, its files are in ${dirname(skill.path)}.${given === undefined ? "" : ` To be used on: ${given}`}`;
      return done(`${head}\n\n${said}`);
    },
  });
}
