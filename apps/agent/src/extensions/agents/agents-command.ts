import { readAgents } from "@palimpsest/agents";
import type { Store } from "palimpsest";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";

const WAYS = [
  {
    value: "show",
    label: "Show its messages and tool calls",
    when: ["running", "idle", "done", "failed", "stopped"],
  },
  { value: "follow", label: "Follow it live (esc to stop following)", when: ["running"] },
  { value: "stop", label: "Stop the agent", when: ["running", "idle"] },
];

/** `/agents` lists the agents of the session, and lets the user read, follow, stop and message them. */
export function agentsCommand(store: Store): SlashCommand {
  return {
    name: "agents",
    takes: "[show ID | follow ID | stop ID | send ID TEXT]",
    about: "list agents and their cost; follow, stop or message one",
    when: "always",
    async open({ session, words, runCommand, ask }) {
      const act = (...args: readonly string[]): Promise<void> =>
        runCommand("Listing the agents", "agents", [...args, "--session", session.id]);
      if (words !== "") return act(...words.split(/\s+/));
      await act();
      const all = await readAgents(store, session.id);
      if (all.length === 0) return;
      const which = await ask({
        title: "Choose an agent (esc to close)",
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
      const options = WAYS.filter(({ when }) => when.includes(chosen.status));
      const way = await ask({ title: cleanText(chosen.name ?? chosen.id), body: [], options });
      if (way.kind === "chosen" && way.values[0] !== undefined) await act(way.values[0], chosen.id);
    },
  };
}
