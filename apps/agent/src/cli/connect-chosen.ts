import { agentHomeOf } from "@palimpsest/coordination/project-places";
import type { Provider } from "palimpsest";
import { readUserSettings } from "../permissions/load-settings.ts";
import type { UsedBefore } from "../workspace/stored-sessions.ts";
import { chooseProvider, noKeyText, type ProviderChoice, type WantedProvider } from "./choose-provider.ts";
import { connect } from "./connect.ts";
import type { Terminal } from "./terminal.ts";

export interface Connection {
  readonly choice: ProviderChoice;
  readonly provider: Provider;
  /** Asks the provider for the ids of its models. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  /** `asked`: the server is asked for the model's window, since the user's own servers are in no table. */
  readonly modelFacts: "if-unknown" | "asked";
}

export interface ChosenOptions {
  /** What a resumed session used. @default a new session */
  readonly before?: UsedBefore | undefined;
  /** Asks the person for a provider and a key. @default the person is told what to do */
  readonly onNoKey?: ((choice: ProviderChoice) => Promise<ProviderChoice | undefined>) | undefined;
}

/** Connects to the chosen provider. Returns undefined without a key, after telling the person what to do. */
export async function connectChosen(
  wanted: WantedProvider,
  terminal: Terminal,
  { before, onNoKey }: ChosenOptions = {},
): Promise<Connection | undefined> {
  const agentHome = agentHomeOf(terminal.environment);
  const { settings } = await readUserSettings(agentHome);
  const chosen = chooseProvider(wanted, terminal.environment, before, settings);
  const choice = chosen.key === undefined ? ((await findKey(chosen, agentHome)) ?? (await onNoKey?.(chosen))) : chosen;
  if (choice?.key === undefined) {
    if (onNoKey === undefined) terminal.say(noKeyText(chosen));
    return undefined;
  }
  const isOwn = choice.provider === "openai-chat" && choice.baseUrl !== undefined;
  const provider = await connect(choice, { models: settings.models ?? {} });
  return {
    choice,
    provider,
    listModels: async (signal) => (await import("./list-models.ts")).listModels(choice, { signal }),
    modelFacts: isOwn ? "asked" : "if-unknown",
  };
}

/** The key that the user has stored for this provider. */
async function findKey(choice: ProviderChoice, agentHome: string): Promise<ProviderChoice | undefined> {
  const { storedKeys } = await import("./keys/stored-keys.ts");
  const key = await storedKeys({ agentHome }).read(choice.provider);
  return key === undefined ? undefined : { ...choice, key };
}
