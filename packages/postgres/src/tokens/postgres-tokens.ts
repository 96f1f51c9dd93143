import { checkName, isName } from "../check-name.ts";
import { createDatabase, type Pool, type Row } from "../database.ts";

/** The pool in which tokens are kept. */
export interface PostgresTokensOptions {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: Pool;
}

/** A token of the HTTP API, as `createToken` of `@palimpsest/server` makes it: without its secret. */
export interface ApiToken {
  readonly tenant: string;
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly digest: string;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
  readonly requestsPerMinute?: number;
}

/** Fits `Tokens` of `@palimpsest/server`. */
export interface PostgresTokens {
  find(tenant: string, id: string): Promise<ApiToken | undefined>;
  /** Oldest first. */
  list(tenant: string): Promise<readonly ApiToken[]>;
  add(token: ApiToken): Promise<void>;
  revoke(tenant: string, id: string): Promise<"revoked" | "absent">;
}

/** Keeps tokens of the HTTP API in PostgreSQL, for any number of servers. Run `migrate` before. */
export function postgresTokens({ pool }: PostgresTokensOptions): PostgresTokens {
  const database = createDatabase(pool);
  return {
    async find(tenant, id) {
      // The tenant is what somebody sent, who may be anybody.
      const [row] = isName(tenant) ? await database.call("find_api_token", [tenant, id]) : [];
      return row && toToken(row);
    },
    async list(tenant) {
      return (await database.call("list_api_tokens", [tenant])).map(toToken);
    },
    async add(token) {
      const { tenant, id, name, scopes, digest, createdAtMs, expiresAtMs = null, requestsPerMinute = null } = token;
      const values = [
        checkName("tenant", tenant),
        id,
        name,
        [...scopes],
        digest,
        createdAtMs,
        expiresAtMs,
        requestsPerMinute,
      ];
      await database.call("add_api_token", values);
    },
    async revoke(tenant, id) {
      const [row] = await database.call("revoke_api_token", [tenant, id]);
      return row?.["revoke_api_token"] === true ? "revoked" : "absent";
    },
  };
}

function toToken(row: Row): ApiToken {
  return {
    tenant: String(row["tenant"]),
    id: String(row["id"]),
    name: String(row["name"]),
    scopes: row["scopes"] as readonly string[],
    digest: String(row["digest"]),
    createdAtMs: Number(row["created_at_ms"]),
    ...(row["expires_at_ms"] === null ? {} : { expiresAtMs: Number(row["expires_at_ms"]) }),
    ...(row["requests_per_minute"] === null ? {} : { requestsPerMinute: Number(row["requests_per_minute"]) }),
  };
}
