import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderChoice } from "../commands/choose-provider.ts";
import { writePrivateFile } from "../workspace/private-files.ts";
import type { UsedBefore } from "../workspace/stored-sessions.ts";

/**
 * Stores the endpoint of a session, in a file beside the log. The log itself must not hold it: logs are shared, and an address
 * may name a private machine. Keys are never stored.
 */
export async function rememberEndpoint(folder: string, { baseUrl }: ProviderChoice): Promise<"kept" | "secret"> {
  // An address with a user name, a password or a query may contain a key.
  const url = baseUrl === undefined ? undefined : URL.parse(baseUrl);
  const isSecret = url != null && (url.username !== "" || url.password !== "" || url.search !== "");
  const kept = baseUrl === undefined || isSecret ? {} : { baseUrl };
  await writePrivateFile(join(folder, FILE), `${JSON.stringify(kept)}\n`);
  return isSecret ? "secret" : "kept";
}

/** Adds the stored endpoint to the provider and model of a session. A damaged file counts as no endpoint. */
export async function withEndpoint(used: UsedBefore | undefined, folder: string): Promise<UsedBefore | undefined> {
  try {
    const { baseUrl } = JSON.parse(await readFile(join(folder, FILE), "utf8")) as { readonly baseUrl?: unknown };
    return used && typeof baseUrl === "string" ? { ...used, baseUrl } : used;
  } catch {
    return used;
  }
}

const FILE = "endpoint.json";
