// Connects to the provider that the user chose.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import type { Provider } from "palimpsest";
import { readUserSettings } from "../permissions/load-settings.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import type { UsedBefore } from "../workspace/stored-sessions.ts";
import { chooseProvider, noKeyText, type ProviderChoice, type WantedProvider } from "./choose-provider.ts";
import { connect } from "./connect.ts";
import type { Terminal } from "./terminal.ts";

export interface Connection {
  readonly choice: ProviderChoice;
  readonly provider: Provider;
  /** Lists the ids of the provider's models. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly string[]>;
  /** `asked`: the server is asked for the model's window, because our table does not contain the user's own servers. */
  readonly modelFacts: "if-unknown" | "asked";
}

interface ChosenOptions {
  /** The provider and model of a resumed session. @default a new session */
  readonly before?: UsedBefore | undefined;
  /** Asks the person for a provider and a key. @default prints what to do */
  readonly onNoKey?: ((choice: ProviderChoice) => Promise<ProviderChoice | undefined>) | undefined;
}

/** Connects to the chosen provider. Without a key, tells the person what to do and resolves to undefined. */
export async function connectChosen(
  wanted: WantedProvider,
  terminal: Terminal,
  { before, onNoKey }: ChosenOptions = {},
): Promise<Connection | undefined> {
  const { settings } = await readUserSettings(agentHomeOf(terminal.environment));
  const chosen = await withStoredKey(
    chooseProvider(wanted, terminal.environment, before, settings),
    terminal.environment,
  );
  const choice = chosen.key === undefined ? await onNoKey?.(chosen) : chosen;
  if (choice?.key === undefined) {
    if (onNoKey === undefined) terminal.say(noKeyText(chosen));
    return undefined;
  }
  const isOwn = choice.provider === "openai-chat" && choice.baseUrl !== undefined;
  const provider = await connect(choice, { models: settings.models ?? {} });
  return {
    choice,
    provider,
    listModels: async (signal) => (await import("./connect.ts")).listModels(choice, { signal }),
    modelFacts: isOwn ? "asked" : "if-unknown",
  };
}

/** Chooses the provider like `chooseProvider`, with the user's settings and stored keys. */
export async function chooseWithStored(
  wanted: WantedProvider,
  environment: Terminal["environment"],
  before?: UsedBefore,
): Promise<ProviderChoice> {
  const { settings } = await readUserSettings(agentHomeOf(environment));
  return withStoredKey(chooseProvider(wanted, environment, before, settings), environment);
}

async function withStoredKey(choice: ProviderChoice, environment: Terminal["environment"]): Promise<ProviderChoice> {
  if (choice.key !== undefined) return choice;
  const { storedKeys } = await import("./keys/stored-keys.ts");
  const stored = await storedKeys({ agentHome: agentHomeOf(environment) }).read(choice.provider);
  return stored === undefined ? choice : { ...choice, key: stored.key };
}

/**
 * Stores a session's endpoint in a file next to the log. The log must not contain the endpoint, because logs are shared
 * and an address may name a private machine. Keys are never stored.
 */
export async function rememberEndpoint(folder: string, { baseUrl }: ProviderChoice): Promise<"kept" | "secret"> {
  // An address with a user name, a password or a query may contain a key.
  const url = baseUrl === undefined ? undefined : URL.parse(baseUrl);
  const isSecret = url != null && (url.username !== "" || url.password !== "" || url.search !== "");
  const kept = baseUrl === undefined || isSecret ? {} : { baseUrl };
  await writePrivateFile(join(folder, FILE), `${JSON.stringify(kept)}\n`);
  return isSecret ? "secret" : "kept";
}

/** Adds the stored endpoint to a session's provider and model. A damaged file counts as no endpoint. */
export async function withEndpoint(used: UsedBefore | undefined, folder: string): Promise<UsedBefore | undefined> {
  try {
    const { baseUrl } = JSON.parse(await readFile(join(folder, FILE), "utf8")) as { readonly baseUrl?: unknown };
    return used && typeof baseUrl === "string" ? { ...used, baseUrl } : used;
  } catch {
    return used;
  }
}

const FILE = "endpoint.json";
