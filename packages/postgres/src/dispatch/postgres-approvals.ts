import type { Approvals } from "@palimpsest/coordination";
import {
  DEFAULT_PENDING_LIMIT,
  EXPIRED,
  expiryKey,
  inputText,
  toAnswer,
  toAskResult,
  toPendingPage,
  toState,
} from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import type { TenantOptions } from "./postgres-schedule.ts";

const COLUMNS = "now_at_ms, (asked).*";

export function createPostgresApprovals({ database, tenant, nowMs, notifier }: TenantOptions): Approvals {
  return {
    async ask(question) {
      const { sessionId, callId, tool, input, reason = null, expiresAtMs = null } = question;
      const asked = [tenant, checkName("session", sessionId), callId, tool, inputText(input), reason, expiresAtMs];
      const values = [...asked, expiryKey(callId), EXPIRED, nowMs()];
      const [row] = await database.call("ask_approval", values, COLUMNS);
      return toAskResult(row!, question, Number(row!["now_at_ms"]));
    },
    async read(session, callId) {
      const [row] = await database.call("read_approval", [tenant, session, callId, nowMs()], COLUMNS);
      return row === undefined ? { kind: "absent" } : toState(row, Number(row["now_at_ms"]));
    },
    async pending({ session = null, after = "0", limit = DEFAULT_PENDING_LIMIT } = {}) {
      const rows = await database.call("pending_approvals", [tenant, session, after, limit + 1, nowMs()]);
      return toPendingPage(rows, limit);
    },
    async answer(session, callId, { decision, by, reason = null }) {
      const values = [tenant, session, callId, decision, by, reason, expiryKey(callId), nowMs()];
      const [row] = await database.call("answer_approval", values, COLUMNS);
      if (row === undefined) return { kind: "absent" };
      // As it was before: whoever finds it pending has answered it.
      const before = toState(row, Number(row["now_at_ms"]));
      if (before.kind === "answered") return { kind: "answered-before", answer: toAnswer(row) };
      if (before.kind === "expired") return { kind: "expired", expiredAtMs: Number(row["expires_at_ms"]) };
      notifier.ring("work");
      return { kind: "answered" };
    },
    async withdraw(session, callId) {
      const [row] = await database.call("withdraw_approval", [tenant, session, callId, expiryKey(callId)]);
      return row?.["withdraw_approval"] as "withdrawn" | "absent" | "answered";
    },
  };
}
