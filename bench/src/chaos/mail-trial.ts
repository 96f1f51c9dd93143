import { exchangeMail } from "./mail/exchange-mail.ts";
import { heldIfZero, type Trial } from "./trial.ts";

const SIZES = { full: { agents: 8, messages: 1_250 }, quick: { agents: 4, messages: 40 } };

export const mailTrial: Trial = {
  name: "mail",
  about: "agents that write to each other, killed as senders and receivers, on a disk that fills up",
  async run({ size, say }) {
    const { agents, messages } = SIZES[size];
    say(`${agents} agents send ${messages} messages each ...`);
    const found = await exchangeMail(agents, messages);
    const { lost, duplicated, out_of_order, misdelivered, crashed, disks_skipped } = found;
    return {
      found: { ...found },
      outcome: heldIfZero(lost, duplicated, out_of_order, misdelivered, crashed),
      ...(disks_skipped === null ? {} : { skipped: [`full disks: ${disks_skipped}`] }),
    };
  },
};
