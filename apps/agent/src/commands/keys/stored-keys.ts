import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { writePrivateFile } from "../../workspace/private-files.ts";
import { PROVIDERS, type ProviderWord } from "../choose-provider.ts";

interface StoredKey {
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

interface StoredKeysOptions {
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

type Keys = Readonly<Partial<Record<ProviderWord, string>>>;

/** A file in our folder that only this user can read (0600), for systems without a keyring. */
function keyFile(agentHome: string): KeyStore {
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

const SERVICE = "palimpsest";
/** Keys are words; anything else would end the line that `security` reads. */
const KEY_FORM = /^[\w.:/+=-]+$/;

/**
 * The keyring of the system, by its own command line tool: `security` on macOS, `secret-tool` (libsecret) on Linux.
 * Undefined where there is no such tool: Windows has none that reads a secret back.
 */
function systemKeyring(platform: NodeJS.Platform, run: RunProgram): KeyStore | undefined {
  if (platform === "darwin") return keychain(run);
  return platform === "linux" ? secretService(run) : undefined;
}

function keychain(run: RunProgram): KeyStore {
  const entry = (account: string): string => `-s ${SERVICE} -a ${account}`;
  return {
    name: "the macOS keychain",
    async read(provider) {
      const args = ["find-generic-password", "-s", SERVICE, "-a", provider, "-w"];
      const { exitCode, out } = await run("security", args, "");
      return exitCode === 0 ? out.trim() || undefined : undefined;
    },
    async write(provider, key) {
      if (!KEY_FORM.test(key))
        throw new Error("This key has characters that the macOS keychain's tool cannot be given.");
      // With -i, the tool reads its commands from standard input, where nobody else sees the key.
      const { exitCode } = await run("security", ["-i"], `add-generic-password -U ${entry(provider)} -w ${key}\n`);
      if (exitCode !== 0) throw new Error(`The macOS keychain refused the key (security ended with ${exitCode}).`);
    },
    async remove(provider) {
      await run("security", ["delete-generic-password", "-s", SERVICE, "-a", provider], "");
    },
  };
}

function secretService(run: RunProgram): KeyStore {
  const entry = (account: string): readonly string[] => ["service", SERVICE, "account", account];
  return {
    name: "the system's keyring",
    async read(provider) {
      const { exitCode, out } = await run("secret-tool", ["lookup", ...entry(provider)], "");
      return exitCode === 0 ? out.trim() || undefined : undefined;
    },
    async write(provider, key) {
      const label = `--label=palimpsest: API key for ${provider}`;
      const { exitCode } = await run("secret-tool", ["store", label, ...entry(provider)], key);
      if (exitCode !== 0) throw new Error(`The system's keyring refused the key (secret-tool ended with ${exitCode}).`);
    },
    async remove(provider) {
      await run("secret-tool", ["clear", ...entry(provider)], "");
    },
  };
}

/** A place that keeps one API key for each provider. */
interface KeyStore {
  /** Names the place in messages: "the macOS keychain". */
  readonly name: string;
  read(provider: ProviderWord): Promise<string | undefined>;
  write(provider: ProviderWord, key: string): Promise<void>;
  remove(provider: ProviderWord): Promise<void>;
}

/** Runs a program to its end. Secrets go in and out by its pipes: other users see the arguments of a program. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  input: string,
) => Promise<{ readonly exitCode: number | null; readonly out: string }>;
