import { type Refused, refused } from "../outcomes.ts";
import { findSecrets } from "./find-secrets.ts";

/**
 * Refuses texts that would put a secret on the disk. The refusal does not repeat the secret: models read it, and it is
 * stored.
 */
export async function screen(texts: readonly string[]): Promise<Refused | undefined> {
  const found = await findSecrets(texts.filter(Boolean).join("\n\n"));
  if (found.length === 0) return undefined;
  const kinds = [...new Set(found.map(({ kind }) => kind))].slice(0, 3).join(", ");
  return refused("secret", `It seems to hold ${kinds}. Secrets are never kept: write where it can be found instead.`);
}
