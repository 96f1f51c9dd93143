import { SESSIONS } from "./0001-sessions.ts";
import { RESULTS } from "./0002-results.ts";
import { COORDINATION } from "./0003-coordination.ts";
import { TENANTS } from "./0004-tenants.ts";
import { MEMORY_AND_RATES } from "./0005-memory-and-rates.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** All migrations, in order: the first has number 1. They only go forward, and a released one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "sessions", sql: SESSIONS },
  { name: "results", sql: RESULTS },
  { name: "coordination", sql: COORDINATION },
  { name: "tenants", sql: TENANTS },
  { name: "memory and rates", sql: MEMORY_AND_RATES },
];
