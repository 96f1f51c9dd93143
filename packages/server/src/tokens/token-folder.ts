import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { StoredToken, Tokens } from "./token.ts";

const ID = /^[0-9a-f]{12}$/;

/**
 * Keeps tokens in a folder, one file for each, for this user only. Any number of processes may use it: a file appears and disappears as a
 * whole, so that a token that one process revokes is refused by the next request to any other.
 */
export function tokenFolder(path: string): Tokens {
  const folder = resolve(path);
  const fileOf = (id: string): string => join(folder, `${id}.json`);

  async function find(tenant: string, id: string): Promise<StoredToken | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await orAbsent(readFile(fileOf(id), "utf8"));
    const token = text === undefined ? undefined : parse(fileOf(id), text);
    return token?.tenant === tenant ? token : undefined;
  }

  return {
    find,
    async list(tenant) {
      const names = (await orAbsent(readdir(folder))) ?? [];
      const ids = names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
      const tokens = await Promise.all(ids.map((id) => find(tenant, id)));
      return tokens.filter((token) => token !== undefined).sort((one, other) => one.createdAtMs - other.createdAtMs);
    },
    async add(token) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `${randomUUID()}.draft`);
      const handle = await open(draft, "wx", 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(token, undefined, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, fileOf(token.id));
    },
    async revoke(tenant, id) {
      if ((await find(tenant, id)) === undefined) return "absent";
      const removed = await orAbsent(rm(fileOf(id)).then(() => "revoked" as const));
      return removed ?? "absent";
    },
  };
}

/** Undefined for a file or folder that is not there. */
async function orAbsent<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function parse(file: string, text: string): StoredToken {
  try {
    return JSON.parse(text) as StoredToken;
  } catch {
    throw new Error(
      `${file} is no token. Delete the file, and create the token again: palimpsest database tokens create.`,
    );
  }
}
