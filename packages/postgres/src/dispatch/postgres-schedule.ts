import type { Schedule } from "@palimpsest/coordination";
import { toSetAsidePage } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import type { Database } from "../database.ts";

export interface TenantOptions {
  readonly database: Database;
  readonly tenant: string;
  nowMs(): number | null;
  /** The channel that workers listen to, if somebody does. */
  readonly workChannel: string | null;
}

const PAGE_SESSIONS = 100;

export function createPostgresSchedule({ database, tenant, nowMs, workChannel }: TenantOptions): Schedule {
  return {
    async wake(session) {
      const values = [tenant, checkName("session", session), nowMs(), workChannel];
      const [row] = await database.call("wake_session", values);
      return row?.["wake_session"] as "woken" | "set-aside";
    },
    async remind(session, { key, dueAtMs, reason, unlessPastEntry = null }) {
      const values = [tenant, checkName("session", session), key, dueAtMs, reason, unlessPastEntry];
      await database.call("remind_session", [...values, nowMs(), workChannel]);
    },
    async cancelReminder(session, key) {
      const [row] = await database.call("cancel_reminder", [tenant, session, key]);
      return row?.["cancel_reminder"] === true ? "canceled" : "absent";
    },
    async listSetAside({ after = "", limit = PAGE_SESSIONS } = {}) {
      return toSetAsidePage(await database.call("list_set_aside", [tenant, after, limit + 1]), limit);
    },
    async resume(session) {
      const [row] = await database.call("resume_session", [tenant, session, nowMs(), workChannel]);
      return row?.["resume_session"] === true ? "resumed" : "absent";
    },
  };
}
