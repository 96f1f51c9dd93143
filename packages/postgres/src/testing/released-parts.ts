/** What is kept of a release, by scripts/freeze-postgres.ts: the schema, and the code that writes logs and results. */
export { migrate } from "../migrate.ts";
export { openPostgres } from "../open-postgres.ts";
