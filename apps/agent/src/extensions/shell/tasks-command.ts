import type { SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plainLines } from "../../text/line.ts";
import type { BackgroundCommands } from "./background-commands.ts";

/** `/tasks`: the commands that run in the background. */
export function tasksCommand(background: BackgroundCommands): SlashCommand {
  return {
    name: "tasks",
    about: "what runs in the background: read its output, stop it",
    when: "always",
    async open({ ask, say }) {
      const running = background.list();
      if (running.length === 0) return say("Nothing runs in the background.");
      const options = running.map(({ id, command }) => ({ value: id, label: `${id} ${cleanText(command)}` }));
      const chosen = await ask({ title: "In the background", body: [], options });
      const id = chosen.kind === "chosen" ? chosen.values[0] : undefined;
      if (id === undefined) return;
      const tail = (await background.tail(id)) ?? "";
      const answer = await ask({
        title: `${id}: the end of its output`,
        body: plainLines(cleanText(tail).trimEnd() || "(nothing yet)").slice(-12),
        options: [
          { value: "leave", label: "Let it run" },
          { value: "stop", label: "Stop it" },
        ],
      });
      if (answer.kind !== "chosen" || answer.values[0] !== "stop") return;
      await background.kill(id);
      say(`${id} was stopped.`);
    },
  };
}
