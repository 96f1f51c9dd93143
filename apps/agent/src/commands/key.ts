import { text } from "node:stream/consumers";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { table } from "../text/table.ts";
import { chooseProvider, keyNameOf, PROVIDERS, type ProviderWord } from "./choose-provider.ts";
import { listModels } from "./connect.ts";
import { chooseWithStored } from "./connect-chosen.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { createPrompter } from "./keys/prompter.ts";
import { refusalOfKey } from "./keys/set-up-provider.ts";
import { type StoredKeys, storedKeys } from "./keys/stored-keys.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows, stores and removes API keys. The output never contains a whole key. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.key);
  const action = oneOf("key", positionals[0] ?? "list", COMMANDS.key.operands.completes)!;
  const { environment } = terminal;
  const keys = storedKeys({ agentHome: agentHomeOf(environment) });
  if (action === "list") return list(keys, terminal, values.json === true);
  const { provider } = await chooseWithStored(values, environment);
  if (action === "set") return set(keys, provider, values["base-url"], terminal);
  const stored = await keys.read(provider);
  if (stored === undefined) {
    terminal.say(`No key for ${provider} is stored. To see where keys come from: palimpsest key`);
    return EXIT.failed;
  }
  await keys.remove(provider);
  await terminal.print(`Removed the key for ${provider} (${tailOf(stored.key)}) from ${stored.place}.`);
  return EXIT.done;
}

interface KeyRow {
  readonly provider: ProviderWord;
  readonly from: string;
  /** The key's last four characters. */
  readonly tail?: string;
}

const NO_KEY_FROM: Readonly<Partial<Record<ProviderWord, string>>> = {
  bedrock: "credentials of the AWS tools, if there are any",
};

async function list(keys: StoredKeys, { print, environment }: Terminal, json: boolean): Promise<number> {
  const rows: KeyRow[] = [];
  for (const provider of PROVIDERS) {
    const name = keyNameOf(provider);
    const variable = environment[name];
    const stored = variable ? { key: variable, place: `${name} in the environment` } : await keys.read(provider);
    rows.push(
      stored === undefined
        ? { provider, from: NO_KEY_FROM[provider] ?? "none" }
        : { provider, from: stored.place, tail: tailOf(stored.key) },
    );
  }
  await print(
    json
      ? JSON.stringify(rows)
      : table([["provider", "key", "from"], ...rows.map(({ provider, tail = "", from }) => [provider, tail, from])]),
  );
  return EXIT.done;
}

async function set(
  keys: StoredKeys,
  provider: ProviderWord,
  baseUrl: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const key = await readKey(provider, terminal);
  if (!key) {
    terminal.say("No key was entered. Nothing was changed.");
    return EXIT.failed;
  }
  const choice = { ...chooseProvider({ provider, "base-url": baseUrl }, {}), key };
  const refusal = await listModels(choice).then(() => undefined, refusalOfKey);
  if (refusal !== undefined) {
    terminal.say(`${provider} did not accept the key: ${refusal} Nothing was changed.`);
    return EXIT.failed;
  }
  const place = await keys.write(provider, key);
  const name = keyNameOf(provider);
  await terminal.print(`The key for ${provider} (${tailOf(key)}) is stored in ${place}.`);
  if (terminal.environment[name]) terminal.say(`${name} in the environment overrides the stored key.`, "warning");
  return EXIT.done;
}

async function readKey(provider: ProviderWord, { screen, input }: Terminal): Promise<string | undefined> {
  if (screen === undefined) return (await text(input as NodeJS.ReadStream)).trim();
  const prompter = createPrompter(screen);
  try {
    return await prompter.askSecret(`API key for ${provider} (not shown; Enter alone leaves): `);
  } finally {
    prompter.close();
  }
}

/** Four characters of a shorter key would reveal too much of it. */
const SHORT_KEY = 16;

function tailOf(key: string): string {
  return key.length < SHORT_KEY ? "..." : `...${key.slice(-4)}`;
}
