import { createHash } from "node:crypto";
import type { RateSource } from "@palimpsest/coordination";
import { FORGET_DEMAND_MS, FORGET_TENANT_MS, toRates } from "@palimpsest/coordination/parts";
import { createDatabase, type Pool } from "../database.ts";

/** The pool in which all workers share their limits. */
export interface PostgresRateSourceOptions {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: Pool;
  /** @default the database's clock */
  readonly clock?: { now(): number };
}

/** Limits that all workers of a service share, for all tenants: an exchange is one round trip. Run `migrate` before. */
export function postgresRateSource({ pool, clock }: PostgresRateSourceOptions): RateSource {
  const database = createDatabase(pool);
  const nowMs = (): number | null => clock?.now() ?? null;
  return {
    async exchange({ key, model }, limit, claims) {
      const { perMs, capacity } = toRates(limit);
      const flows = new Map(claims.map(({ tenant }) => [digestOf(tenant), tenant]));
      const amounts = (["returned", "needed", "wanted"] as const).flatMap((name) => [
        claims.map((claim) => claim[name].requests),
        claims.map((claim) => claim[name].tokens),
      ]);
      const rates = [perMs.requests, perMs.tokens, capacity.requests, capacity.tokens, nowMs()];
      const values = [key, model, ...rates, [...flows.keys()], ...amounts, FORGET_DEMAND_MS, FORGET_TENANT_MS];
      const rows = await database.call("exchange_rates", values);
      return rows.map((row) => ({
        tenant: flows.get(String(row["flow"]))!,
        granted: { requests: Number(row["requests"]), tokens: Number(row["tokens"]) },
        waitMs: Number(row["wait_ms"]),
      }));
    },
    async pause({ key, model }, forMs) {
      await database.call("pause_rates", [key, model, forMs, nowMs()]);
    },
  };
}

/** The table has no names of tenants, since no tenant owns its rows. */
function digestOf(tenant: string): string {
  return createHash("sha256").update(tenant).digest("base64url");
}
