import { createHash } from "node:crypto";

export type IdPrefix = "resp" | "msg" | "fc" | "rs" | "cmp" | "call" | "tsc" | "req" | "chatcmpl";

/** Ids look like the service's and depend on nothing but their ordinal, so that runs can be compared byte for byte. */
export function createIdMint(): (prefix: IdPrefix) => string {
  const ordinals = new Map<IdPrefix, number>();
  return (prefix) => {
    const ordinal = (ordinals.get(prefix) ?? 0) + 1;
    ordinals.set(prefix, ordinal);
    const digest = createHash("sha1").update(`openai:${prefix}:${ordinal}`);
    if (prefix === "call") return `call_${digest.digest("base64url").replace(/[-_]/g, "0").slice(0, 24)}`;
    if (prefix === "chatcmpl") return `chatcmpl-${digest.digest("base64url").replace(/[-_]/g, "0").slice(0, 24)}`;
    return `${prefix}_${digest.digest("hex")}`;
  };
}
