import { readAgents } from "@palimpsest/agents";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { asTerminal } from "../../terminal/commands/as-terminal.ts";
import { cleanText } from "../../text/clean-text.ts";

export const agents: SlashCommand = {
  name: "agents",
  takes: "[show | follow | stop | send TEXT behind an ID]",
  about: "the agents of this session as a tree: what they do and cost; read one as it works, stop it, write to it",
  when: "always",
  async open(context) {
    const { agent, project, words, during, ask } = context;
    const { run } = await import("../../commands/agents.ts");
    const act = (...args: readonly string[]): Promise<unknown> =>
      during("Looking at the agents", (signal, progress) =>
        run([...args, "--session", agent.session.id], asTerminal(context, signal, progress)),
      );
    if (words !== "") return void (await act(...words.split(/\s+/)));
    await act();
    const all = await readAgents(project.store, agent.session.id);
    if (all.length === 0) return;
    const which = await ask({
      ...{ title: "Open one? (esc: no)", body: [] },
      options: all.map(({ id, name, status, goal }) => ({
        ...{ value: id, label: cleanText(name ?? id), about: `${status}: ${cleanText(goal).replaceAll("\n", " ")}` },
      })),
    });
    const id = which.kind === "chosen" ? which.values[0] : undefined;
    const chosen = all.find((one) => one.id === id);
    if (chosen === undefined) return;
    const ways = [
      { value: "show", label: "Read what it said and did" },
      { value: "follow", label: "Read on as it works (esc: no more)" },
      { value: "stop", label: "Stop it" },
    ];
    const options = chosen.status === "running" ? ways : ways.slice(0, 1);
    const way = await ask({ title: cleanText(chosen.name ?? chosen.id), body: [], options });
    if (way.kind === "chosen" && way.values[0] !== undefined) await act(way.values[0], chosen.id);
  },
};
