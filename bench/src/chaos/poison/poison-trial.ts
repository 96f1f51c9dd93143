import type { Trial } from "../trial.ts";
import { measureSecrets } from "./measure-secrets.ts";

/** Of 100 secrets, how many must be refused; of 100 paragraphs that hold none, how many may be. */
const FLOOR = { refusedPct: 99, falseAlarmPct: 1 };

export const poisonTrial: Trial = {
  name: "poison",
  about: "what must not get into a memory: secrets",
  async run(options) {
    const secrets = await measureSecrets(options);
    const isHeld = secrets.refusedPct >= FLOOR.refusedPct && (secrets.falseAlarmPct ?? 0) <= FLOOR.falseAlarmPct;
    return {
      found: {
        secret_cases: secrets.cases,
        secrets_refused_pct: secrets.refusedPct,
        secrets_missed: secrets.missed,
        secret_candidates: secrets.candidates ?? null,
        secret_false_alarm_pct: secrets.falseAlarmPct ?? null,
      },
      outcome: isHeld ? "held" : "BROKEN",
    };
  },
};
