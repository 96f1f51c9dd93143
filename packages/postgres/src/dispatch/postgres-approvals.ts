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
import type { Row } from "../database.ts";
import type { TenantSeals } from "../key-ring/tenant-seals.ts";
import type { TenantOptions } from "./postgres-schedule.ts";

export interface PostgresApprovalsOptions extends TenantOptions {
  readonly seals: TenantSeals;
}

const COLUMNS = "now_at_ms, (asked).*";
/** What is encrypted, and what is read instead if its key is lost. */
const SEALED = { input: "null", reason: null, answer_reason: null } as const;

export function createPostgresApprovals(options: PostgresApprovalsOptions): Approvals {
  const { database, tenant, nowMs, notifier, seals } = options;
  const placeOf = (session: unknown, callId: unknown, column: string) => [
    "approval",
    String(session),
    String(callId),
    column,
  ];
  const seal = async (text: string | null, ...place: Parameters<typeof placeOf>): Promise<string | null> =>
    text === null ? null : seals.sealPayload(text, placeOf(...place));
  const openRow = async (row: Row): Promise<Row> => {
    const columns = Object.entries(SEALED).map(async ([column, lost]) => {
      const place = placeOf(row["session"], row["call_id"], column);
      const kept = row[column];
      return [column, typeof kept === "string" ? ((await seals.openPayload(kept, place)) ?? lost) : kept] as const;
    });
    return { ...row, ...Object.fromEntries(await Promise.all(columns)) };
  };

  return {
    async ask(question) {
      const { sessionId, callId, tool, input, reason = null, expiresAtMs = null } = question;
      checkName("session", sessionId);
      const text = await seal(inputText(input), sessionId, callId, "input");
      const why = await seal(reason, sessionId, callId, "reason");
      const asked = [tenant, sessionId, callId, tool, text, why, expiresAtMs];
      const values = [...asked, expiryKey(callId), EXPIRED, nowMs()];
      const [row] = await database.call("ask_approval", values, COLUMNS);
      return toAskResult(await openRow(row!), question, Number(row!["now_at_ms"]));
    },
    async read(session, callId) {
      const [row] = await database.call("read_approval", [tenant, session, callId, nowMs()], COLUMNS);
      return row === undefined ? { kind: "absent" } : toState(await openRow(row), Number(row["now_at_ms"]));
    },
    async pending({ session = null, after = "0", limit = DEFAULT_PENDING_LIMIT } = {}) {
      const rows = await database.call("pending_approvals", [tenant, session, after, limit + 1, nowMs()]);
      return toPendingPage(await Promise.all(rows.map(openRow)), limit);
    },
    async answer(session, callId, { decision, by, reason = null }) {
      const why = await seal(reason, session, callId, "answer_reason");
      const values = [tenant, session, callId, decision, by, why, expiryKey(callId), nowMs()];
      const [kept] = await database.call("answer_approval", values, COLUMNS);
      if (kept === undefined) return { kind: "absent" };
      const row = await openRow(kept);
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
