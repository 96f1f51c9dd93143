import { text } from "../../extension/input.ts";
import { type AgentTool, defineTool, done, failed } from "../../extension/tool.ts";
import type { BackgroundCommands } from "./background-commands.ts";

const ID = "Id of the command, as Bash gave it.";

/** Shows what a command in the background has put out since it was last asked for. */
export function bashOutputTool(background: BackgroundCommands): AgentTool {
  return defineTool({
    name: "BashOutput",
    description:
      "Shows what a command in the background has put out since it was last asked for, and whether it still runs.",
    input: { id: text(ID) },
    concurrency: "safe",
    effect: "read",
    results: "clearable",
    async run({ id }) {
      const output = await background.read(id);
      if (output === undefined) return failed(unknown(id, background));
      const more = output.more === "yes" ? "; there is more, ask again" : "";
      return done([output.text.trimEnd(), `[${id}: ${output.state}${more}]`].filter(Boolean).join("\n"));
    },
  });
}

/** Ends a command in the background. */
export function killBashTool(background: BackgroundCommands): AgentTool {
  return defineTool({
    name: "KillBash",
    description: "Ends a command that runs in the background, with all that it has started.",
    input: { id: text(ID) },
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "clearable",
    async run({ id }) {
      const killed = await background.kill(id);
      if (killed === undefined) return failed(unknown(id, background));
      return done(killed === "killed" ? `${id} was ended.` : `${id} had ended already.`);
    },
  });
}

function unknown(id: string, background: BackgroundCommands): string {
  const running = background.list().map(({ id, command }) => `${id} (${command})`);
  return `There is no command ${JSON.stringify(id)}. Running: ${running.join(", ") || "none"}.`;
}
