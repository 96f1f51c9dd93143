import type { Provider } from "palimpsest";
import { EFFORTS } from "palimpsest/provider-parts";
import type { Agent } from "../../agent/agent.ts";
import type { EffortChoice } from "../../agent/session-effort.ts";
import type { PermissionMode } from "../../permissions/decide-permission.ts";
import { MODES } from "../../permissions/settings-schema.ts";
import { nearest } from "../../text/nearest.ts";
import { padText, widthOf } from "../../text/width.ts";
import { listSessions } from "../../workspace/stored-sessions.ts";
import type { ScreenCommand, ScreenContext } from "./screen-command.ts";

export const model: ScreenCommand = {
  name: "model",
  takes: "[NAME]",
  about: "switch the model; its prompt cache starts empty",
  async open(context) {
    const { words, agent, say } = context;
    const { model: current, setModel } = agent;
    const known = await context.during("Asking for the models", (signal) => knownModels(context, signal));
    const wanted = words === "" ? await choose(context, known) : words;
    if (wanted === undefined || wanted === "" || wanted === current()) return say(`The model is ${current()}.`);
    if (known.kind === "listed" && !known.names.includes(wanted)) {
      const meant = nearest(wanted, known.names);
      const hint = meant === undefined ? "/model lists the models." : `Did you mean ${meant}?`;
      return say(`The provider has no model ${JSON.stringify(wanted)}. ${hint}`, { color: "warning" });
    }
    const problem = await setModel(wanted);
    say(`Model switched to ${wanted}. Its prompt cache is empty, so the next request pays the full price.`);
    if (problem !== undefined) say(problem, { color: "warning" });
  },
};

type KnownModels =
  | { readonly kind: "listed"; readonly names: readonly string[] }
  /** The provider does not list its models: those that this folder's sessions have used. */
  | { readonly kind: "used"; readonly names: readonly string[]; readonly why: string };

async function knownModels({ listModels, project, agent }: ScreenContext, signal: AbortSignal): Promise<KnownModels> {
  try {
    const names = await listModels(signal);
    if (names.length > 0) return { kind: "listed", names };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "used", names: await usedNames(), why: error instanceof Error ? error.message : String(error) };
  }
  return { kind: "used", names: await usedNames(), why: "its list is empty" };

  async function usedNames(): Promise<readonly string[]> {
    const used = (await listSessions(project.store)).flatMap(({ usedBefore }) => usedBefore?.model ?? []);
    return [...new Set([agent.model(), ...used])];
  }
}

async function choose({ ask, agent, provider }: ScreenContext, known: KnownModels): Promise<string | undefined> {
  const { names } = known;
  const rest = known.kind === "listed" ? {} : { words: "Another" };
  const body = known.kind === "listed" ? [] : [[{ text: `The provider did not list its models: ${known.why}` }]];
  const widest = Math.max(...names.map(widthOf));
  const answer = await ask({
    title: "Choose a model",
    body,
    ...rest,
    ...(names.length > FEW ? { shown: "searched" as const } : {}),
    options: names.map((name) => ({
      value: name,
      label: padText(name, widest),
      about: [...(name === agent.model() ? ["now"] : []), factsText(name, provider)].join(" · "),
    })),
  });
  return answer.kind === "chosen" ? answer.values[0] : answer.kind === "words" ? answer.text : undefined;
}

/** So many can be chosen by their number. */
const FEW = 9;

/** The window and the prices of a model, as far as they are known. */
function factsText(name: string, provider: Pick<Provider, "factsOf">): string {
  const { windowTokens, known, prices } = provider.factsOf(name);
  const window =
    windowTokens === undefined || known === "guessed" ? "window unknown" : `${thousands(windowTokens)} window`;
  const price = prices === undefined ? "price unknown" : `$${prices.input} in, $${prices.output} out per 1M tokens`;
  return `${window} · ${price}`;
}

function thousands(tokens: number): string {
  return tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(2))}M` : `${Math.round(tokens / 1_000)}k`;
}

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

/** `bypass` is left out: it must be set on purpose in the settings or on the command line, not by a slip of the finger. */
export const OFFERED_MODES: readonly PermissionMode[] = ["auto", "default", "accept-edits", "plan"];

export const mode: ScreenCommand = {
  name: "mode",
  takes: "[WORD]",
  about: "choose what the agent may do without asking (shift-tab switches)",
  when: "always",
  async open({ words, agent, ask, say }) {
    const wanted = OFFERED_MODES.find((one) => one === words) ?? (await choose());
    if (wanted === undefined) return;
    agent.setMode(wanted);
    say(`Mode ${wanted}: ${MODES[wanted]}.`);

    async function choose(): Promise<PermissionMode | undefined> {
      // A row has room for the first part. The whole text comes when the mode is chosen.
      const options = OFFERED_MODES.map((one) => ({ value: one, label: one, about: MODES[one].split(";")[0]! }));
      const answer = await ask({ title: "Choose a mode", body: [], options });
      return OFFERED_MODES.find((one) => answer.kind === "chosen" && answer.values[0] === one);
    }
  },
};
