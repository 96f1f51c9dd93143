import type { Experiment, Figures } from "../experiment.ts";
import { loadPeers } from "../load-peers.ts";
import { median, round } from "../statistics.ts";
import { ownSession } from "./own-session.ts";
import type { Subject } from "./subject.ts";
import { type TurnPlan, type TurnTimes, timeTurns } from "./time-turns.ts";
import { turnPlans } from "./turn-plans.ts";

/** Measures the cost of managing the window before every request, when nothing has to be done. */
export const overheadExperiment: Experiment = {
  name: "overhead",
  about: "microseconds of append + prepare at 200, 2,000 and 20,000 messages, beside other libraries (installs them)",
  async run({ size }) {
    const plans = turnPlans(size);
    const [shortest, longest] = [plans[0]!.messages, plans.at(-1)!.messages];
    const own = await measure(ownSession(), plans, size === "full" ? 3 : 1);
    const figures = {
      palimpsest_us: own.turnUs,
      // Beside it: taking in the response, which the other libraries leave to the caller.
      record_us: own.nextUs,
      growth: round(own.turnUs[longest]! / own.turnUs[shortest]!),
    };
    return size === "full" ? { ...figures, ...(await besidePeers(own.turnUs, longest)) } : figures;
  },
};

async function besidePeers(ownUs: Readonly<Record<string, number>>, longest: number): Promise<Figures> {
  const { peers } = await loadPeers<{ readonly peers: readonly Subject[] }>("peers.ts");
  const peersUs: Record<string, Readonly<Record<string, number>>> = {};
  for (const peer of peers) peersUs[peer.name] = (await measure(peer, turnPlans("full"), 1)).turnUs;
  const counting = peers.filter(({ counts }) => counts === "tokens").map(({ name }) => peersUs[name]![longest]!);
  return { peers_us: peersUs, times_faster_than_counting_peers: round(Math.min(...counting) / ownUs[longest]!) };
}

interface Medians {
  readonly turnUs: Readonly<Record<string, number>>;
  readonly nextUs: Readonly<Record<string, number>>;
}

/** Medians by length. The first pass over the short plans is not counted: code runs faster when it has run before. */
async function measure(subject: Subject, plans: readonly TurnPlan[], passes: number): Promise<Medians> {
  for (const plan of plans.slice(0, -1)) await timeTurns(subject, plan);
  const times = new Map<TurnPlan, Pick<TurnTimes, keyof Medians>>(
    plans.map((plan) => [plan, { turnUs: [], nextUs: [] }]),
  );
  for (let pass = 0; pass < passes; pass++) {
    for (const [plan, { turnUs, nextUs }] of times) {
      const timed = await timeTurns(subject, plan);
      turnUs.push(...timed.turnUs);
      nextUs.push(...timed.nextUs);
    }
  }
  const medians = (of: keyof Medians): Record<string, number> =>
    Object.fromEntries([...times].map(([{ messages }, timed]) => [String(messages), round(median(timed[of]))]));
  return { turnUs: medians("turnUs"), nextUs: medians("nextUs") };
}
