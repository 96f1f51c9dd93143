import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROVIDERS, type ProviderWord } from "../../commands/choose-provider.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";
import type { KeyStore } from "./key-store.ts";

type Keys = Readonly<Partial<Record<ProviderWord, string>>>;

/** A file in our folder that only this user can read (0600), for systems without a keyring. */
export function keyFile(agentHome: string): KeyStore {
  const path = join(agentHome, "keys.json");
  const write = (keys: Keys): Promise<void> => writePrivateFile(path, `${JSON.stringify(keys, undefined, 2)}\n`);
  return {
    name: path,
    read: async (provider) => (await readKeys(path))[provider],
    write: async (provider, key) => write({ ...(await readKeys(path)), [provider]: key }),
    async remove(provider) {
      const { [provider]: gone, ...others } = await readKeys(path);
      if (gone !== undefined) await write(others);
    },
  };
}

async function readKeys(path: string): Promise<Keys> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null) throw new Error(`${path} is not a JSON object. Remove the file.`);
  const fields = parsed as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    PROVIDERS.flatMap((word) => (typeof fields[word] === "string" ? [[word, fields[word]] as const] : [])),
  );
}
