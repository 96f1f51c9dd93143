import { costText } from "../../commands/cost.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const cost: ScreenCommand = {
  name: "cost",
  about: "show what the session cost, and what the next request costs",
  when: "always",
  open: async ({ agent: { session }, say }) => say(costText(await session.ledger.cost())),
};
