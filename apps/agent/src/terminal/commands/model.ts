import type { Provider } from "palimpsest";
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
