import { readAgents } from "@palimpsest/agents";
import type { Store } from "palimpsest";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";

const WAYS = [
  { value: "show", label: "Read what it said and did" },
  { value: "follow", label: "Read on as it works (esc: no more)" },
  { value: "stop", label: "Stop it" },
];

/** `/agents`: the agents of the session, and what can be done with each. */
export function agentsCommand(store: Store): SlashCommand {
  return {
    name: "agents",
    takes: "[show | follow | stop | send TEXT behind an ID]",
    about: "the agents of this session as a tree: what they do and cost; read one as it works, stop it, write to it",
    when: "always",
    async open({ session, words, runCommand, ask }) {
      const act = (...args: readonly string[]): Promise<void> =>
        runCommand("Looking at the agents", "agents", [...args, "--session", session.id]);
      if (words !== "") return act(...words.split(/\s+/));
      await act();
      const all = await readAgents(store, session.id);
      if (all.length === 0) return;
      const which = await ask({
        title: "Open one? (esc: no)",
        body: [],
        options: all.map(({ id, name, status, goal }) => ({
          value: id,
          label: cleanText(name ?? id),
          about: `${status}: ${cleanText(goal).replaceAll("\n", " ")}`,
        })),
      });
      const id = which.kind === "chosen" ? which.values[0] : undefined;
      const chosen = all.find((one) => one.id === id);
      if (chosen === undefined) return;
      const options = chosen.status === "running" ? WAYS : WAYS.slice(0, 1);
      const way = await ask({ title: cleanText(chosen.name ?? chosen.id), body: [], options });
      if (way.kind === "chosen" && way.values[0] !== undefined) await act(way.values[0], chosen.id);
    },
  };
}
