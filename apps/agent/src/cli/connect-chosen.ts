import type { Provider } from "palimpsest";
import type { UsedBefore } from "../workspace/stored-sessions.ts";
import { chooseProvider, noKeyText, type ProviderChoice, type WantedProvider } from "./choose-provider.ts";
import { connect } from "./connect.ts";
import type { Terminal } from "./terminal.ts";
import { userModels } from "./user-models.ts";

export interface Connection {
  readonly choice: ProviderChoice;
  readonly provider: Provider;
  /** Asks the provider for the ids of its models. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  /** `asked`: the server is asked for the model's window, since the user's own servers are in no table. */
  readonly modelFacts: "if-unknown" | "asked";
}

/** Connects to the chosen provider. Returns undefined without a key, after telling the person what to do. */
export async function connectChosen(
  wanted: WantedProvider,
  terminal: Terminal,
  before?: UsedBefore,
): Promise<Connection | undefined> {
  const choice = chooseProvider(wanted, terminal.environment, before);
  if (choice.key === undefined) {
    terminal.say(noKeyText(choice));
    return undefined;
  }
  const isOwn = choice.provider === "openai-chat" && choice.baseUrl !== undefined;
  const provider = await connect(choice, { models: await userModels(terminal.environment) });
  return {
    choice,
    provider,
    listModels: async (signal) => (await import("./list-models.ts")).listModels(choice, { signal }),
    modelFacts: isOwn ? "asked" : "if-unknown",
  };
}
