import { heldIfZero, type Trial, type TrialOptions } from "../trial.ts";
import { SOON } from "./cases/fleet-case.ts";
import { DRIVERS, type DriverName } from "./driver.ts";
import { PHASES } from "./phases.ts";
import { inPlace } from "./place.ts";
import { figuresOf, type Storm, type StormOptions, storm } from "./storm.ts";

const SIZES: Readonly<Record<TrialOptions["size"], Omit<StormOptions, "say">>> = {
  full: {
    workers: 3,
    killsInPhase: 25,
    killsAtRandom: 30,
    databaseKills: 10,
    engineKills: 10,
    killEveryMs: 2_000,
    turns: 2_100,
    traffic: { sessions: 60, turnsEach: 8, turnsPerSecond: 6 },
    restWithinMs: 120_000,
  },
  quick: {
    workers: 3,
    killsInPhase: 1,
    killsAtRandom: 1,
    databaseKills: 1,
    engineKills: 1,
    killEveryMs: 100,
    turns: 30,
    traffic: { sessions: 16, turnsEach: 5, turnsPerSecond: 8 },
    restWithinMs: 120_000,
  },
};
const MOST_RESUME_S = 10;
/**
 * Each kill hits a third of all sessions, and a turn that continues at once meets the next one: here five deaths in a row are chance. The drill
 * of a poison session judges the default.
 */
const STORM_ATTEMPTS = 50;
/** The model answers at once here, so more at a time would only take longer each, and more of them would die with each worker. */
const STORM_SLOTS = 8;

export const fleetTrial: Trial = {
  name: "fleet",
  about: "workers killed in every phase of a turn, and their servers, for each scheduler",
  async run({ size, say }) {
    const found: Record<string, unknown> = {};
    const wrong: string[] = [];
    for (const driver of Object.keys(DRIVERS) as DriverName[]) {
      const { figures, wrong: own } = await runStorm(driver, size, say);
      found[driver] = figures;
      wrong.push(...own.map((text) => `${driver}: ${text}`));
    }
    return { found: { ...found, wrong: wrong.slice(0, 20) }, outcome: heldIfZero(wrong.length) };
  },
};

async function runStorm(
  driver: DriverName,
  size: TrialOptions["size"],
  say: TrialOptions["say"],
): Promise<{ readonly figures: object; readonly wrong: readonly string[] }> {
  const plan = { maxAttempts: STORM_ATTEMPTS, slots: STORM_SLOTS, ...(size === "full" ? {} : SOON) };
  return inPlace({ driver, plan }, async (place) => {
    const ownEngine = place.started.crash !== undefined;
    const options = { ...SIZES[size], say, ...(ownEngine ? {} : { engineKills: 0 }) };
    const stormed = await storm(place, options);
    const figures = figuresOf(stormed);
    // Where the database is the engine, it was killed as such.
    const engineKills = ownEngine ? stormed.engineKills : stormed.databaseKills;
    const missing = PHASES.filter((phase) => (stormed.kills[phase] ?? 0) < options.killsInPhase);
    const untried = missing.map((phase) => `too few kills ${phase}: ${stormed.kills[phase] ?? 0}`);
    return {
      figures: { ...figures, engine_kills: engineKills },
      wrong: [...untried, ...wrongIn(stormed), ...(size === "full" ? lateIn(stormed) : [])],
    };
  });
}

function wrongIn({ lost, refused, twice, stuck, setAside }: Storm): readonly string[] {
  return [
    ...lost.map((text) => `lost: ${text}`),
    ...refused.map((text) => `refused: ${text}`),
    ...twice.map((text) => `twice: ${text}`),
    ...stuck.map((text) => `stuck: ${text}`),
    ...setAside.map((text) => `set aside: ${text}`),
  ];
}

/** One in twenty may be late. */
function lateIn({ resumed }: Storm): readonly string[] {
  const late = resumed.filter(({ seconds }) => seconds > MOST_RESUME_S).length;
  const isMuch = late > resumed.length / 20;
  return isMuch ? [`${late} of ${resumed.length} turns continued after more than ${MOST_RESUME_S} s`] : [];
}
