import { EFFORTS } from "palimpsest/provider-parts";
import type { Agent } from "../../agent/agent.ts";
import type { EffortChoice } from "../../agent/session-effort.ts";
import type { ScreenCommand, ScreenContext } from "./screen-command.ts";

/** All efforts; `default` first. */
export const EFFORT_CHOICES: readonly EffortChoice[] = ["default", ...EFFORTS];
export const EFFORTS_IN_WORDS: Readonly<Record<EffortChoice, string>> = {
  default: "as the provider decides",
  low: "fast and cheap: small, clear tasks",
  medium: "between the two",
  high: "most tasks of a coding agent",
  xhigh: "hard problems, long work",
  max: "as much as the model can: slow and expensive",
};

export const effort: ScreenCommand = {
  name: "effort",
  takes: "[WORD]",
  about: "choose how much the model thinks (alt-t switches)",
  async open({ words, agent, ask, say }) {
    const wanted = EFFORT_CHOICES.find((one) => one === words) ?? (await choose());
    if (wanted !== undefined) await setEffort(wanted, agent, say);

    async function choose(): Promise<EffortChoice | undefined> {
      const now = agent.effort() ?? "default";
      const options = EFFORT_CHOICES.map((one) => ({
        value: one,
        label: one,
        about: one === now ? `now · ${EFFORTS_IN_WORDS[one]}` : EFFORTS_IN_WORDS[one],
      }));
      const answer = await ask({ title: "How much should the model think?", body: [], options });
      return EFFORT_CHOICES.find((one) => answer.kind === "chosen" && answer.values[0] === one);
    }
  },
};

type Chosen = Pick<Agent, "effort" | "setEffort" | "session">;

/** Switches to the next effort, from the last one to the provider's own choice. */
export async function nextEffort(agent: Chosen, say: ScreenContext["say"]): Promise<void> {
  const at = EFFORT_CHOICES.indexOf(agent.effort() ?? "default");
  const problem = await agent.setEffort(EFFORT_CHOICES[(at + 1) % EFFORT_CHOICES.length]!);
  if (problem !== undefined) say(problem, { color: "warning" });
}

async function setEffort(wanted: EffortChoice, agent: Chosen, say: ScreenContext["say"]): Promise<void> {
  const before = agent.effort() ?? "default";
  const problem = await agent.setEffort(wanted);
  if (problem !== undefined) return say(problem, { color: "warning" });
  // The provider's cache holds the conversation for one effort only.
  const isCached = wanted !== before && agent.session.ledger.totals().responses > 0;
  const cost = isCached
    ? " The next request pays for the conversation again, since it was cached with another effort."
    : "";
  say(`Effort ${wanted}: ${EFFORTS_IN_WORDS[wanted]}.${cost}`);
}
