import { realpath, stat } from "node:fs/promises";
import type { ExistingPath } from "./plan-mounts.ts";
import type { SandboxPolicy } from "./policy.ts";

/** What lies outside of the roots. It does not change while a session lasts. */
export interface Around {
  /** Of all users. */
  readonly homes: readonly string[];
  /** Undefined where the user's home does not exist: then there is nothing to hide. */
  readonly home: string | undefined;
  readonly readable: readonly string[];
  readonly secrets: readonly ExistingPath[];
}

/** What only root could read, and is shown to nobody. */
const SYSTEM_SECRETS = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh"],
  ...["/etc/ssl/private", "/etc/wireguard", "/etc/NetworkManager/system-connections", "/var/spool/cron", "/var/mail"],
];

export async function lookAround({ home, readable }: SandboxPolicy): Promise<Around> {
  const homes = (await existing(["/home", "/root"])).map(({ path }) => path);
  const [own] = home === "/" ? [] : await existing([home]);
  const isThere = await Promise.all(readable.map((path) => existing([path])));
  return {
    homes: homes.filter((path) => path !== own?.path),
    home: own?.path,
    // Under the names that programs know them by, which may be links.
    readable: readable.filter((_, at) => isThere[at]!.length > 0),
    secrets: process.getuid?.() === 0 ? await existing(SYSTEM_SECRETS) : [],
  };
}

/** Those that exist, links followed. */
export async function existing(paths: readonly string[]): Promise<readonly ExistingPath[]> {
  const found = await Promise.all(
    paths.map(async (path): Promise<readonly ExistingPath[]> => {
      try {
        const kind = (await stat(path)).isDirectory() ? "folder" : "file";
        return [{ path: await realpath(path), kind }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
