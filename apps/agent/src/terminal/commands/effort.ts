import { EFFORTS } from "palimpsest/provider-parts";
import type { Agent } from "../../agent/agent.ts";
import type { EffortChoice } from "../../agent/session-effort.ts";
import type { ScreenCommand, ScreenContext } from "./screen-command.ts";

const CHOICES: readonly EffortChoice[] = ["default", ...EFFORTS];
const ABOUT: Readonly<Record<EffortChoice, string>> = {
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
    const wanted = CHOICES.find((one) => one === words) ?? (await choose());
    if (wanted !== undefined) await setEffort(wanted, agent, say);

    async function choose(): Promise<EffortChoice | undefined> {
      const now = agent.effort() ?? "default";
      const options = CHOICES.map((one) => ({
        value: one,
        label: one,
        about: one === now ? `now · ${ABOUT[one]}` : ABOUT[one],
      }));
      const answer = await ask({ title: "How much should the model think?", body: [], options });
      return CHOICES.find((one) => answer.kind === "chosen" && answer.values[0] === one);
    }
  },
};

type Chosen = Pick<Agent, "effort" | "setEffort" | "session">;

/** Switches to the next effort, from the last one to the provider's own choice. */
export async function nextEffort(agent: Chosen, say: ScreenContext["say"]): Promise<void> {
  const at = CHOICES.indexOf(agent.effort() ?? "default");
  const problem = await agent.setEffort(CHOICES[(at + 1) % CHOICES.length]!);
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
  say(`Effort ${wanted}: ${ABOUT[wanted]}.${cost}`);
}
