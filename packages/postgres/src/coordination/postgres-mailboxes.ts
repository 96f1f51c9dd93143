import { randomBytes } from "node:crypto";
import type { Mailbox, Mailboxes } from "@palimpsest/coordination";
import { checkRegistration } from "@palimpsest/coordination/parts";
import { createPostgresMailbox, type PostgresMailOptions, toAddress } from "./postgres-mailbox.ts";

export interface PostgresMailboxesOptions extends PostgresMailOptions {
  /** Of this process, for people to read. */
  readonly process: { readonly host: string; readonly pid: number };
  onRegistered(mailbox: Mailbox): void;
}

/** Only silence frees a name: nobody can tell whether a process on another machine is alive. */
export function createPostgresMailboxes(options: PostgresMailboxesOptions): Mailboxes {
  const { database, tenant, silentAfterMs, nowMs, onRegistered } = options;
  const { host, pid } = options.process;
  return {
    async register({ team, name, session, socket, takeover = "if-free" }) {
      const refused = checkRegistration({ team, name, session });
      if (refused !== undefined) return refused;
      const token = randomBytes(32).toString("hex");
      const owner = [session, token, socket ?? null, host, pid];
      const values = [tenant, team, name, ...owner, takeover, nowMs(), silentAfterMs];
      const [holder] = await database.call("register_address", values);
      if (holder !== undefined) return { kind: "taken", by: toAddress(team, holder) };
      const mailbox = createPostgresMailbox({ ...options, address: { team, name, session }, token });
      onRegistered(mailbox);
      return { kind: "registered", mailbox };
    },
    async addresses(team) {
      const rows = await database.call("list_addresses", [tenant, team, nowMs(), silentAfterMs]);
      return rows.map((row) => toAddress(team, row));
    },
    async disband(team) {
      const [row] = await database.call("disband_team", [tenant, team, nowMs(), silentAfterMs]);
      const names = row?.["disband_team"] as readonly string[];
      return names.length > 0 ? { kind: "running", names } : { kind: "disbanded" };
    },
  };
}
