import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentTool } from "../../extension/tool.ts";
import { unseenFiles } from "../../permissions/unseen-file.ts";
import { type FollowedInstructions, followInstructions } from "./follow-instructions.ts";
import { openInstructions } from "./open-instructions.ts";

export interface InstructionsExtension extends Extension {
  /** Wraps the Read tool, to add the instructions of a folder when a file in it is read. */
  readonly aroundRead: (read: AgentTool) => AgentTool;
}

/** Instruction files (AGENTS.md, CLAUDE.md) of the user, the project and its folders. */
export async function instructionsExtension({
  guard,
  permissions,
  places,
  commandTimes,
  person,
}: Pick<
  ExtensionContext,
  "guard" | "permissions" | "places" | "commandTimes" | "person"
>): Promise<InstructionsExtension> {
  const { home, agentHome } = places;
  const instructions = await openInstructions({
    guard,
    rules: permissions.rules,
    home,
    agentHome,
    findUnseen: unseenFiles(commandTimes, agentHome),
    onUnseen: (text) => void person?.onNotice(text),
  });
  let followed: FollowedInstructions | undefined;
  return {
    name: "instructions",
    head: instructions,
    problems: instructions.problems,
    async begin(session) {
      followed = followInstructions({ session, instructions });
    },
    aroundRead: (read) => ({
      ...read,
      run: (input, context) => (followed?.around(read) ?? read).run(input, context),
    }),
    beforeTurn: async () => followed?.announce(),
  };
}
