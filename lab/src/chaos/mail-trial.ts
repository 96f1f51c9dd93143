import { setTimeout as sleep } from "node:timers/promises";
import { startDatabase } from "@palimpsest/postgres/test-server";
import type { Figures } from "../experiment.ts";
import { exchangeMail, type MailFindings } from "./mail/exchange-mail.ts";
import { onASmallDisk } from "./mail/on-a-small-disk.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";
import { heldIfZero, type Trial } from "./trial.ts";

const SIZES = { full: { agents: 8, messages: 1_250 }, quick: { agents: 4, messages: 20 } };

export const mailTrial: Trial = {
  name: "chaos mail",
  about:
    "agents that write to each other, killed as senders and receivers, on a disk that fills up and over PostgreSQL that is shut down",
  async run({ size, say }) {
    const sizes = SIZES[size];
    say(`${sizes.agents} agents send ${sizes.messages} messages each, in a file ...`);
    const [inFile, skipped] = await onASmallDisk(async (disk) => {
      const harm = "fill" in disk ? { harm: disk.fill } : {};
      const found = await exchangeMail({ ...sizes, folder: disk.folder, ...harm });
      return [found, "skipped" in disk ? disk.skipped : null] as const;
    });
    say("and in PostgreSQL ...");
    const inPostgres = await inTemporaryFolder(async (folder) => {
      const database = await startDatabase({ fsync: "on" });
      try {
        const harm = async (): Promise<void> => {
          // Long enough for some mail in between: it is up again after one or two seconds on a busy machine.
          await sleep(Math.random() * 4_000);
          await database.crash();
        };
        return await exchangeMail({ ...sizes, folder, database: database.host, harm });
      } finally {
        await database.stop();
      }
    });
    return {
      found: {
        ...counted(inFile),
        disks_filled: inFile.harmed,
        disk_full_errors: inFile.failures.get("disk-full") ?? 0,
        disks_skipped: skipped,
        postgres: {
          ...counted(inPostgres),
          database_kills: inPostgres.harmed,
          unreachable_errors: inPostgres.failures.get("unreachable") ?? 0,
        },
      },
      outcome: heldIfZero(...[inFile, inPostgres].flatMap(broken)),
      ...(skipped === null ? {} : { skipped: [`full disks: ${skipped}`] }),
    };
  },
};

function counted({ harmed: _, failures: __, ...counts }: MailFindings): Figures {
  return counts;
}

function broken({ lost, duplicated, out_of_order, misdelivered, crashed }: MailFindings): readonly number[] {
  return [lost, duplicated, out_of_order, misdelivered, crashed];
}
