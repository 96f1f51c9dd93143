import { asTerminal } from "./as-terminal.ts";
import type { SlashCommand } from "./command.ts";

export const agents: SlashCommand = {
  name: "agents",
  takes: "[show | follow | stop | send TEXT behind an ID]",
  about: "the agents of this session as a tree: what they do and cost; read one as it works, stop it, write to it",
  when: "always",
  async open(context) {
    const { run } = await import("../../commands/agents.ts");
    const { agent, words, during } = context;
    const args = [...words.split(/\s+/).filter(Boolean), "--session", agent.session.id];
    await during("Looking at the agents", (signal, progress) => run(args, asTerminal(context, signal, progress)));
  },
};
