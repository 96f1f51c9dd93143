// The API keys that the user has stored, in the system's keyring or in a file.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { writePrivateFile } from "../../workspace/private-files.ts";
import { PROVIDERS, type ProviderWord } from "../choose-provider.ts";

interface StoredKey {
  readonly key: string;
  /** The name of the key's place, for messages. */
  readonly place: string;
}

export interface StoredKeys {
  read(provider: ProviderWord): Promise<StoredKey | undefined>;
  /** Stores a key in the system's keyring, or in a private file if that fails. Resolves to the name of the place. */
  write(provider: ProviderWord, key: string): Promise<string>;
  remove(provider: ProviderWord): Promise<void>;
}

interface StoredKeysOptions {
  readonly agentHome: string;
  /** The operating system. @default the system of this process */
  readonly platform?: NodeJS.Platform;
  /** Runs the keyring tool. @default starts the program, for at most a few seconds */
  readonly run?: RunProgram;
}

/** Opens the API keys that the user has stored: in the system's keyring, then in a file. */
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
        // The tool may exist without a keyring, so a key is stored only if it can be read back.
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

/**
 * The time limit of a keyring tool. A locked keyring may ask its user in a window; without a window, the tool hangs.
 */
const PATIENCE_MS = 5_000;

const runProgram: RunProgram = async (program, args, input) => {
  // Not the option `timeout`: if the program does not exist, Node never clears its timer, which delays the exit of this
  // process.
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
/** The characters of keys. Others could end the line that `security` reads. */
const KEY_FORM = /^[\w.:/+=-]+$/;

/**
 * The system's keyring through its command line tool: `security` on macOS, `secret-tool` (libsecret) on Linux.
 * Undefined on other systems: Windows has no tool that reads a secret back.
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
        throw new Error("This key contains characters that the macOS keychain tool does not accept.");
      // With -i, the tool reads commands from standard input, where other users cannot see the key.
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

/** A place that stores one API key per provider. */
interface KeyStore {
  /** The place's name in messages: "the macOS keychain". */
  readonly name: string;
  read(provider: ProviderWord): Promise<string | undefined>;
  write(provider: ProviderWord, key: string): Promise<void>;
  remove(provider: ProviderWord): Promise<void>;
}

/** Runs a program to its end. Secrets go through its pipes, because other users can see a program's arguments. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  input: string,
) => Promise<{ readonly exitCode: number | null; readonly out: string }>;
