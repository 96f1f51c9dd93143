import { SESSIONS } from "./0001-sessions.ts";
import { LOG_FUNCTIONS } from "./0002-log-functions.ts";
import { RESULTS } from "./0003-results.ts";
import { SESSION_FUNCTIONS } from "./0004-session-functions.ts";
import { COORDINATION } from "./0005-coordination.ts";
import { MAIL } from "./0006-mail.ts";
import { SCHEDULE } from "./0007-schedule.ts";
import { APPROVALS } from "./0008-approvals.ts";
import { EVENTS } from "./0009-events.ts";
import { RESULT_OBJECTS } from "./0010-result-objects.ts";
import { RATES } from "./0011-rates.ts";
import { MEMORY } from "./0012-memory.ts";
import { TENANTS } from "./0013-tenants.ts";
import { TENANT_KEYS } from "./0014-tenant-keys.ts";
import { RESTORED_EVENTS } from "./0015-restored-events.ts";
import { INBOX } from "./0016-inbox.ts";
import { API_TOKENS } from "./0017-api-tokens.ts";
import { FORGET_SESSIONS } from "./0018-forget-sessions.ts";
import { INBOX_FINGERPRINTS } from "./0019-inbox-fingerprints.ts";
import { TAKE_OVER } from "./0020-take-over.ts";
import { FLEET_OVERVIEW } from "./0021-fleet-overview.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** All migrations, in order: the first has number 1. They only go forward, and a released one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "sessions", sql: SESSIONS },
  { name: "log functions", sql: LOG_FUNCTIONS },
  { name: "results", sql: RESULTS },
  { name: "session functions", sql: SESSION_FUNCTIONS },
  { name: "coordination", sql: COORDINATION },
  { name: "mail", sql: MAIL },
  { name: "schedule", sql: SCHEDULE },
  { name: "approvals", sql: APPROVALS },
  { name: "events", sql: EVENTS },
  { name: "result objects", sql: RESULT_OBJECTS },
  { name: "rates", sql: RATES },
  { name: "memory", sql: MEMORY },
  { name: "tenants", sql: TENANTS },
  { name: "tenant keys", sql: TENANT_KEYS },
  { name: "restored events", sql: RESTORED_EVENTS },
  { name: "inbox", sql: INBOX },
  { name: "API tokens", sql: API_TOKENS },
  { name: "forget sessions", sql: FORGET_SESSIONS },
  { name: "inbox fingerprints", sql: INBOX_FINGERPRINTS },
  { name: "take over", sql: TAKE_OVER },
  { name: "fleet overview", sql: FLEET_OVERVIEW },
];
