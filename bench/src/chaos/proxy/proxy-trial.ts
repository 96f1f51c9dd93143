import { startProcess } from "../../run-process.ts";
import { heldIfZero, type Trial } from "../trial.ts";
import type { ProxyFindings } from "./proxy-process.ts";

const REQUESTS = { full: 10_000, quick: 300 };
/** Requests without a guard: enough for every fault. */
const CONTROLLED = 180;
/** Whether a thread is behind when its proxy stops depends on the machine. */
const MAX_TRIES = 4;
/** Guards of the proxy in guards.json, and what must be found without each: or the trial would find nothing, whatever it says. */
const GUARDS = {
  "proxy silence": "hung",
  "proxy reset": "hung",
  "proxy cut": "altered",
  "proxy last logs": "lost",
} as const;
const SCRIPT = new URL("./proxy-process.ts", import.meta.url);

export const proxyTrial: Trial = {
  name: "proxy",
  about:
    "requests through the proxy, with services that break, stall, are killed and lie, clients that leave, and a disk that fills up",
  async run({ size, say }) {
    say(`${REQUESTS[size]} requests ...`);
    const found = await startProcess<ProxyFindings>(SCRIPT, [String(REQUESTS[size])]);
    say(`and without each of ${Object.keys(GUARDS).length} guards ...`);
    const controlled = Object.entries(GUARDS).map(async ([guard, harm]): Promise<[string, number]> => {
      let count = 0;
      for (let tried = 0; count === 0 && tried < MAX_TRIES; tried++) {
        count = (await startProcess<ProxyFindings>(SCRIPT, [String(CONTROLLED), guard]))[harm];
      }
      return [guard, count];
    });
    const without = Object.fromEntries(await Promise.all(controlled));
    const unproven = Object.values(without).filter((count) => count === 0).length;
    const { disk_skipped: skipped, ...figures } = found;
    return {
      found: { ...figures, found_without_guard: without },
      outcome: heldIfZero(found.altered, found.hung, found.lost, unproven),
      ...(skipped === null ? {} : { skipped: [`full disks: ${skipped}`] }),
    };
  },
};
