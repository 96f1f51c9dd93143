import { startProcess } from "../../run-process.ts";
import { heldIfZero, type Trial } from "../trial.ts";
import type { ProxyFindings } from "./proxy-process.ts";

const REQUESTS = { full: 10_000, quick: 300 };
/** Requests without a guard: enough for every fault. */
const CONTROLLED = 180;
/** Guards of the proxy in guards.json, and what must be found without each: or the trial would find nothing, whatever it says. */
const GUARDS = { "proxy silence": "hung", "proxy cut": "altered", "proxy last logs": "lost" } as const;
const SCRIPT = new URL("./proxy-process.ts", import.meta.url);

export const proxyTrial: Trial = {
  name: "proxy",
  about:
    "requests through the proxy, with services that break, stall, are killed and lie, clients that leave, and a disk that fills up",
  async run({ size, say }) {
    say(`${REQUESTS[size]} requests ...`);
    const found = await startProcess<ProxyFindings>(SCRIPT, [String(REQUESTS[size])]);
    const without: Record<string, number> = {};
    for (const [guard, harm] of Object.entries(GUARDS)) {
      say(`and without the guard "${guard}" ...`);
      const controlled = await startProcess<ProxyFindings>(SCRIPT, [String(CONTROLLED), guard]);
      without[guard] = controlled[harm];
    }
    const unproven = Object.values(without).filter((count) => count === 0).length;
    const { disk_skipped: skipped, ...figures } = found;
    return {
      found: { ...figures, found_without_guard: without },
      outcome: heldIfZero(found.altered, found.hung, found.lost, unproven),
      ...(skipped === null ? {} : { skipped: [`full disks: ${skipped}`] }),
    };
  },
};
