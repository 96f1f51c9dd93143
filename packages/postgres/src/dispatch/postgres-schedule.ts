import type { Schedule } from "@palimpsest/coordination";
import { toSetAsidePage } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import type { Database } from "../database.ts";
import type { Notifier } from "./notifier.ts";

export interface TenantOptions {
  readonly database: Database;
  readonly tenant: string;
  nowMs(): number | null;
  readonly notifier: Notifier;
}

const PAGE_SESSIONS = 100;

export function createPostgresSchedule({ database, tenant, nowMs, notifier }: TenantOptions): Schedule {
  return {
    async wake(session) {
      const [row] = await database.call("wake_session", [tenant, checkName("session", session), nowMs()]);
      notifier.ring("work");
      return row?.["wake_session"] as "woken" | "set-aside";
    },
    async remind(session, { key, dueAtMs, reason, unlessPastEntry = null }) {
      const values = [tenant, checkName("session", session), key, dueAtMs, reason, unlessPastEntry];
      await database.call("remind_session", values);
      // By this clock: if it is wrong, the next poll finds the reminder.
      if (dueAtMs <= (nowMs() ?? Date.now())) notifier.ring("work");
    },
    async cancelReminder(session, key) {
      const [row] = await database.call("cancel_reminder", [tenant, session, key]);
      return row?.["cancel_reminder"] === true ? "canceled" : "absent";
    },
    async listSetAside({ after = "", limit = PAGE_SESSIONS } = {}) {
      return toSetAsidePage(await database.call("list_set_aside", [tenant, after, limit + 1]), limit);
    },
    async resume(session) {
      const [row] = await database.call("resume_session", [tenant, session, nowMs()]);
      notifier.ring("work");
      return row?.["resume_session"] === true ? "resumed" : "absent";
    },
  };
}
