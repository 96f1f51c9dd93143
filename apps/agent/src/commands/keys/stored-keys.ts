import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { keyFile } from "../../cli/keys/key-file.ts";
import type { KeyStore, RunProgram } from "../../cli/keys/key-store.ts";
import { systemKeyring } from "../../cli/keys/system-keyring.ts";
import type { ProviderWord } from "../choose-provider.ts";

export interface StoredKey {
  readonly key: string;
  /** The name of the place that has it. */
  readonly place: string;
}

export interface StoredKeys {
  read(provider: ProviderWord): Promise<StoredKey | undefined>;
  /** Stores a key in the system's keyring, or in a private file where that fails. Resolves to the name of the place. */
  write(provider: ProviderWord, key: string): Promise<string>;
  remove(provider: ProviderWord): Promise<void>;
}

export interface StoredKeysOptions {
  readonly agentHome: string;
  /** @default that of this process */
  readonly platform?: NodeJS.Platform;
  /** @default starts the program, for at most a few seconds */
  readonly run?: RunProgram;
}

/** The API keys that the user has stored. The keyring is asked first, then the file. */
export function storedKeys({
  agentHome,
  platform = process.platform,
  run = runProgram,
}: StoredKeysOptions): StoredKeys {
  const keyring = systemKeyring(platform, run);
  const file = keyFile(agentHome);
  const places: readonly KeyStore[] = keyring === undefined ? [file] : [keyring, file];
  return {
    async read(provider) {
      for (const place of places) {
        const key = await place.read(provider);
        if (key !== undefined) return { key, place: place.name };
      }
      return undefined;
    },
    async write(provider, key) {
      if (keyring !== undefined) {
        // A tool may be there without a keyring behind it: what cannot be read back was not stored.
        const isKept = await keyring.write(provider, key).then(
          async () => (await keyring.read(provider)) === key,
          () => false,
        );
        if (isKept) {
          await file.remove(provider);
          return keyring.name;
        }
      }
      await file.write(provider, key);
      return file.name;
    },
    async remove(provider) {
      for (const place of places) await place.remove(provider);
    },
  };
}

/** A keyring that is locked may ask its user in a window; without one it hangs. */
const PATIENCE_MS = 5_000;

const runProgram: RunProgram = async (program, args, input) => {
  // Not `timeout`: for a program that is not there, Node never clears its timer, and whoever ends has to wait for it.
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const child = spawn(program, [...args], { stdio: ["pipe", "pipe", "ignore"], signal });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
  const [exitCode, out] = await Promise.all([closed, text(child.stdout).catch(() => "")]);
  return { exitCode, out };
};
