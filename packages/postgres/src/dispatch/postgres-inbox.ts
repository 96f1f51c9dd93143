import type { AddedItem, SessionInbox } from "@palimpsest/coordination";
import { DEFAULT_INBOX_LIMIT, fingerprintOf } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import type { TenantSeals } from "../key-ring/tenant-seals.ts";
import type { TenantOptions } from "./postgres-schedule.ts";

export interface PostgresInboxOptions extends TenantOptions {
  readonly seals: TenantSeals;
}

export function createPostgresInbox({ database, tenant, nowMs, notifier, seals }: PostgresInboxOptions): SessionInbox {
  const placeOf = (session: string, key: string) => ["inbox", session, key];
  return {
    async add(session, { key, payload, traceparent = null }) {
      checkName("session", session);
      const text = JSON.stringify(payload) ?? "null";
      const place = placeOf(session, key);
      const [sealed, fingerprints] = await Promise.all([
        seals.sealPayload(text, place),
        seals.namesOf(fingerprintOf(text), place),
      ]);
      const values = [tenant, session, key, sealed, fingerprints, traceparent, nowMs()];
      const [row] = await database.call("add_to_inbox", values);
      notifier.ring("work");
      return {
        kind: row?.["outcome"] as AddedItem["kind"],
        number: Number(row?.["number"]),
        session: row?.["woken"] as AddedItem["session"],
      };
    },
    async read(session, { limit = DEFAULT_INBOX_LIMIT } = {}) {
      const rows = await database.call("read_inbox", [tenant, session, limit]);
      const items = rows.map(async (row) => {
        const key = String(row["key"]);
        // An item whose key is lost says nothing, and is taken in as such: those behind it do not wait for it.
        const payload = (await seals.openPayload(String(row["payload"]), placeOf(session, key))) ?? "null";
        const facts = { number: Number(row["number"]), addedAtMs: Number(row["added_at_ms"]) };
        const traced = row["traceparent"] === null ? {} : { traceparent: String(row["traceparent"]) };
        return { ...facts, ...traced, key, payload: JSON.parse(payload) as unknown };
      });
      return Promise.all(items);
    },
    async acknowledge(session, numbers) {
      if (numbers.length > 0) await database.call("acknowledge_inbox", [tenant, session, numbers]);
    },
  };
}
