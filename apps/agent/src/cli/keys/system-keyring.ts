import type { KeyStore, RunProgram } from "./key-store.ts";

const SERVICE = "palimpsest";
/** Keys are words; anything else would end the line that `security` reads. */
const KEY_FORM = /^[\w.:/+=-]+$/;

/**
 * The keyring of the system, by its own command line tool: `security` on macOS, `secret-tool` (libsecret) on Linux.
 * Undefined where there is no such tool: Windows has none that reads a secret back.
 */
export function systemKeyring(platform: NodeJS.Platform, run: RunProgram): KeyStore | undefined {
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
