export { checkHealth, type Health, type HealthOptions } from "./check-health.ts";
export {
  openPostgresCoordination,
  type PostgresCoordinationOptions,
} from "./coordination/open-postgres-coordination.ts";
export type { Pool, TransactionPool } from "./database.ts";
export { DatabaseError, type DatabaseFailure } from "./database-error.ts";
export type {
  FleetOverview,
  FleetSetAside,
  FleetWorker,
  RunningSession,
  WaitingQuestion,
} from "./dispatch/fleet-overview.ts";
export {
  openPostgresDispatch,
  type PostgresDispatch,
  type PostgresDispatchOptions,
} from "./dispatch/open-postgres-dispatch.ts";
export type { ListenConnection } from "./dispatch/postgres-listener.ts";
export type { PostgresClock } from "./heartbeat.ts";
export {
  type EnvelopeKeyRingOptions,
  envelopeKeyRing,
  type KeyRingOptions,
  type LocalKeyRingOptions,
  localKeyRing,
  type TenantKeyRing,
} from "./key-ring/envelope-key-ring.ts";
export { type KeyRing, NoKeyRingError, SealBrokenError, type TenantKey } from "./key-ring/key-ring.ts";
export type { KeyContext, MasterKey } from "./key-ring/master-key.ts";
export {
  deletePostgresMemory,
  type MemoryAddress,
  openPostgresMemory,
  type PostgresMemoryOptions,
} from "./memory/open-postgres-memory.ts";
export {
  type Migrated,
  type MigrateOptions,
  type MigrationPlan,
  migrate,
  type PendingMigration,
  planMigrations,
} from "./migrate.ts";
export { type ListedObject, type ObjectStore, ObjectStoreError } from "./objects/object-store.ts";
export { type SweepOptions, type Swept, sweepObjects } from "./objects/sweep-objects.ts";
export { openPostgres, type Postgres, type PostgresOptions } from "./open-postgres.ts";
export { type PostgresRateSourceOptions, postgresRateSource } from "./rates/postgres-rate-source.ts";
export type { LargeResults } from "./results/postgres-results.ts";
export { ResultDamagedError } from "./results/result-damaged-error.ts";
export { ClosedStoreError, NoObjectStoreError } from "./store-errors.ts";
export type { DeleteTenantOptions, OpenWriter, TenantDeletion, TenantRows } from "./tenants/delete-tenant.ts";
export type { ExpirePlace, ExpireReport, ExpireTenantsOptions, RetentionPolicy } from "./tenants/expire-tenants.ts";
export type { ExportCounts, ExportLine } from "./tenants/export-line.ts";
export type { TenantImport } from "./tenants/import-tenant.ts";
export type { PostgresTenants } from "./tenants/postgres-tenants.ts";
export {
  type ApiToken,
  type PostgresTokens,
  type PostgresTokensOptions,
  postgresTokens,
} from "./tokens/postgres-tokens.ts";
