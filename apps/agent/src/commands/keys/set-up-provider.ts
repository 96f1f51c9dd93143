import { join } from "node:path";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { nearest } from "../../text/nearest.ts";
import { mergeJsonFile } from "../../workspace/private-files.ts";
import { chooseProvider, type ProviderChoice, type ProviderWord, standardModel } from "../choose-provider.ts";
import { listModels } from "../connect.ts";
import type { Terminal } from "../terminal.ts";
import { createPrompter, type Prompter } from "./prompter.ts";
import { type StoredKeys, storedKeys } from "./stored-keys.ts";

/** The ports of the first start. */
interface SetUpPorts {
  readonly prompter: Pick<Prompter, "ask" | "askSecret">;
  print(line: string): Promise<void>;
  readonly keys: Pick<StoredKeys, "write">;
  /** Tests the key by listing the provider's models. */
  listModels(choice: ProviderChoice): Promise<readonly string[]>;
  /** Stores the provider and model for new sessions. */
  keepChoice(choice: Pick<ProviderChoice, "provider" | "model">): Promise<void>;
}

const OFFERED: readonly (readonly [word: ProviderWord, name: string, about: string])[] = [
  ["anthropic", "Anthropic", "a key from console.anthropic.com"],
  ["openai", "OpenAI", "a key from platform.openai.com"],
];
const SHOWN_MODELS = 8;

/** Runs the first start: asks for a provider and a key, tests the key, offers a model, and stores all three. */
export async function setUpProvider(
  wanted: ProviderChoice,
  terminal: Terminal & Required<Pick<Terminal, "screen">>,
): Promise<ProviderChoice | undefined> {
  const agentHome = agentHomeOf(terminal.environment);
  const prompter = createPrompter(terminal.screen);
  try {
    return await askForProvider(wanted, {
      prompter,
      print: terminal.print,
      keys: storedKeys({ agentHome }),
      listModels: (choice) => listModels(choice),
      keepChoice: ({ provider, model }) => mergeJsonFile(join(agentHome, "settings.json"), { provider, model }),
    });
  } finally {
    prompter.close();
  }
}

/** Asks for a provider. Resolves to undefined if the person leaves. Stores nothing before the key has worked. */
export async function askForProvider(wanted: ProviderChoice, ports: SetUpPorts): Promise<ProviderChoice | undefined> {
  const { prompter, print } = ports;
  await print(`Palimpsest needs a model, and there is no API key yet (${wanted.keyName} is not set).\n`);
  for (const [index, [, name, about]] of OFFERED.entries()) await print(`  ${index + 1}  ${name.padEnd(10)} ${about}`);
  await print("\nWithout a key: palimpsest demo prints a session with a simulated model.");
  await print("Other providers and local servers: palimpsest --help, --provider and --base-url.\n");
  const offered = await chooseOffered(prompter);
  if (offered === undefined) return undefined;
  const [provider, name] = offered;
  for (;;) {
    const key = await prompter.askSecret(`API key for ${name} (not shown; Enter alone leaves): `);
    if (!key) return undefined;
    const choice: ProviderChoice = { ...chooseProvider({ provider }, {}), key };
    await print("Testing the key ...");
    let models: readonly string[];
    try {
      models = await ports.listModels(choice);
    } catch (error) {
      await print(`${name} did not accept it: ${refusalOfKey(error)}\n`);
      continue;
    }
    const model = await chooseModel(models, standardModel(provider), ports);
    if (model === undefined) return undefined;
    const place = await ports.keys.write(provider, key);
    await ports.keepChoice({ provider, model });
    await print(`The key is kept in ${place}. ${choice.keyName} in the environment overrides it.\n`);
    return { ...choice, model };
  }
}

async function chooseOffered({ ask }: Pick<Prompter, "ask">): Promise<(typeof OFFERED)[number] | undefined> {
  for (;;) {
    const answer = await ask(`Choose 1 to ${OFFERED.length} (Enter alone leaves): `);
    if (!answer) return undefined;
    const offered = OFFERED[Number(answer) - 1];
    if (offered !== undefined) return offered;
  }
}

/** Offers the standard model if the provider has it, otherwise the first model of the provider's list. */
async function chooseModel(
  models: readonly string[],
  standard: string,
  { prompter, print }: Pick<SetUpPorts, "prompter" | "print">,
): Promise<string | undefined> {
  const offered = models.length === 0 || models.includes(standard) ? standard : models[0]!;
  const others = models.filter((id) => id !== offered).slice(0, SHOWN_MODELS);
  await print("The key works.");
  if (others.length > 0)
    await print(`Other models: ${others.join(", ")}${models.length > SHOWN_MODELS + 1 ? ", ..." : ""}`);
  for (;;) {
    const answer = await prompter.ask(`Model (Enter: ${offered}; /model changes it later): `);
    if (answer === undefined) return undefined;
    if (answer === "") return offered;
    if (models.length === 0 || models.includes(answer)) return answer;
    const meant = nearest(answer, models);
    await print(
      `The provider has no model ${JSON.stringify(answer)}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    );
  }
}

/** Explains why a provider did not list its models. */
export function refusalOfKey(error: unknown): string {
  const { status } = error as { readonly status?: unknown };
  if (status === 401 || status === 403) return `the key is wrong or has no access (${status}).`;
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
