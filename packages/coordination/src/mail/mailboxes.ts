import { randomBytes } from "node:crypto";
import { type Place, thisProcess } from "palimpsest/sqlite";
import type { CoordinationFile } from "../coordination-file.ts";
import { type Address, deleteTeam, isFree, readAddress, readTeam, toAddress, writeAddress } from "./address-rows.ts";
import { createMailbox, type Mailbox } from "./mailbox.ts";
import { isName, isSession, type MailLimits } from "./message.ts";
import type { WakeUp } from "./wake-up.ts";

/** The name that a session registers in a team. */
export interface Registration {
  readonly team: string;
  readonly name: string;
  readonly session: string;
  /** The socket of its session, for other sessions. */
  readonly socket?: string;
  /** `always`: takes the name also from a living process; for a session that was itself taken over. @default "if-free" */
  readonly takeover?: "if-free" | "always";
}

/** The mailbox, or the reason why the name cannot be had. */
export type RegisterResult =
  | { readonly kind: "registered"; readonly mailbox: Mailbox }
  | { readonly kind: "taken"; readonly by: Address }
  | { readonly kind: "refused"; readonly because: "bad-name" | "bad-id"; readonly why: string };

/**
 * The mail of agents that work in teams. A name belongs to one process at a time, as long as the process runs. Registering
 * returns a mailbox with a private token; nothing else sends in its name or reads its mail. So the sender of a message is the
 * one that the host registered, not one that a model wrote. A mailbox only reaches its own team.
 */
export interface Mailboxes {
  register(registration: Registration): Promise<RegisterResult>;
  addresses(team: string): Promise<readonly Address[]>;
  /** Deletes a team with all its mail, if none of its agents runs. */
  disband(
    team: string,
  ): Promise<{ readonly kind: "disbanded" } | { readonly kind: "running"; readonly names: readonly string[] }>;
}

export interface MailboxesOptions {
  readonly file: CoordinationFile;
  readonly place: Place;
  readonly wakeUp: WakeUp;
  readonly limits: MailLimits;
  readonly silentAfterMs: number;
  readonly onRegistered: (mailbox: Mailbox) => void;
}

export function createMailboxes(options: MailboxesOptions): Mailboxes {
  const { file, place, wakeUp, limits, silentAfterMs, onRegistered } = options;
  return {
    async register({ team, name, session, socket, takeover = "if-free" }) {
      const refused = checkRegistration({ team, name, session });
      if (refused !== undefined) return refused;
      const token = randomBytes(32).toString("hex");
      const result = await file.write((connection): Address | number => {
        const before = readAddress(connection, team, name);
        if (before !== undefined && takeover === "if-free" && !isFree(before, place, silentAfterMs))
          return toAddress(before, place, silentAfterMs);
        const process = thisProcess(place);
        return writeAddress(connection, {
          team,
          name,
          session,
          token,
          process,
          ...(socket === undefined ? {} : { socket }),
        });
      });
      if (typeof result !== "number") return { kind: "taken", by: result };
      const address = { number: result, team, name, session };
      const mailbox = createMailbox({ file, place, wakeUp, limits, silentAfterMs, address, token });
      onRegistered(mailbox);
      return { kind: "registered", mailbox };
    },
    addresses: (team) =>
      file.read((connection) => readTeam(connection, team).map((row) => toAddress(row, place, silentAfterMs))),
    disband: (team) =>
      file.write((connection) => {
        const running = readTeam(connection, team).filter((row) => !isFree(row, place, silentAfterMs));
        if (running.length > 0) return { kind: "running", names: running.map(({ name }) => name) };
        deleteTeam(connection, team);
        return { kind: "disbanded" };
      }),
  };
}

/** Returns why an address cannot be registered; undefined if it can. */
export function checkRegistration({
  team,
  name,
  session,
}: Pick<Registration, "team" | "name" | "session">): Extract<RegisterResult, { kind: "refused" }> | undefined {
  for (const value of [team, name])
    if (!isName(value)) return { kind: "refused", because: "bad-name", why: badName(value) };
  if (isSession(session)) return undefined;
  return { kind: "refused", because: "bad-id", why: `${JSON.stringify(session)} is no id of a session.` };
}

function badName(name: string): string {
  return `${JSON.stringify(name)} is no name: use 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter, a digit or _.`;
}
