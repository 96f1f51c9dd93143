import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../workspace/private-files.ts";
import type { UsedBefore } from "../workspace/stored-sessions.ts";
import type { ProviderChoice } from "./choose-provider.ts";

/**
 * Which endpoint a session goes to. It is kept beside the log and not in it: a log can be given away, and whose machine it was
 * written on is nobody's business. Keys are never kept.
 */
export async function rememberEndpoint(folder: string, { baseUrl }: ProviderChoice): Promise<"kept" | "secret"> {
  // An address may hold a password or a key.
  const url = baseUrl === undefined ? undefined : URL.parse(baseUrl);
  const isSecret = url != null && (url.username !== "" || url.password !== "" || url.search !== "");
  const kept = baseUrl === undefined || isSecret ? {} : { baseUrl };
  await writePrivateFile(join(folder, FILE), `${JSON.stringify(kept)}\n`);
  return isSecret ? "secret" : "kept";
}

/** What a session was sent to last, with its endpoint. What is damaged is none. */
export async function withEndpoint(used: UsedBefore | undefined, folder: string): Promise<UsedBefore | undefined> {
  try {
    const { baseUrl } = JSON.parse(await readFile(join(folder, FILE), "utf8")) as { readonly baseUrl?: unknown };
    return used && typeof baseUrl === "string" ? { ...used, baseUrl } : used;
  } catch {
    return used;
  }
}

const FILE = "endpoint.json";
