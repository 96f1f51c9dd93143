import { expect, test } from "vitest";
import type { Pool } from "../database.ts";
import { type ApiToken, postgresTokens } from "../tokens/postgres-tokens.ts";

/** What tokens in a database must do, straight and behind a pooler. */
export function testTokensOverPool(pool: () => Pool): void {
  test("tokens are found by their tenant, and revoked for all servers", async () => {
    const [one, other] = [postgresTokens({ pool: pool() }), postgresTokens({ pool: pool() })];
    const token: ApiToken = {
      tenant: "shop",
      id: "0123456789ab",
      name: "desk",
      scopes: ["sessions:read"],
      digest: "d",
      createdAtMs: 5,
    };
    const limited: ApiToken = {
      ...token,
      id: "ba9876543210",
      createdAtMs: 6,
      expiresAtMs: 1e12,
      requestsPerMinute: 60,
    };
    await one.add(limited);
    await one.add(token);
    expect(await other.list("shop")).toEqual([token, limited]);
    expect(await other.find("shop", limited.id)).toEqual(limited);
    expect(await other.find("other", limited.id)).toBeUndefined();
    expect(await other.list("other")).toEqual([]);
    expect(await other.revoke("other", token.id)).toBe("absent");
    expect(await other.revoke("shop", token.id)).toBe("revoked");
    expect(await one.find("shop", token.id)).toBeUndefined();
    // As somebody sends them who has no token.
    for (const tenant of ["", "\0", "a b", "x".repeat(600)]) expect(await one.find(tenant, token.id)).toBeUndefined();
    await expect(one.add({ ...token, tenant: "" })).rejects.toThrow(/tenant/);
  });
}
