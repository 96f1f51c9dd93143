import { type AttackWorld, type Family, type FamilyResult, runFamily } from "./attack.ts";
import { exchanges } from "./exchange-attacks.ts";
import { fetches } from "./fetch-attacks.ts";
import { freezes } from "./freeze-attacks.ts";
import { userGit } from "./git-attacks.ts";
import { hooks } from "./hook-attacks.ts";
import { links } from "./link-attacks.ts";
import { modes } from "./mode-attacks.ts";
import { paths } from "./path-attacks.ts";
import { plantedPrograms } from "./planted-program-attacks.ts";
import { protectedPlaces } from "./protected-attacks.ts";
import { races } from "./race-attacks.ts";
import { rules } from "./rule-attacks.ts";
import { sandbox } from "./sandbox-attacks.ts";
import { secrets } from "./secret-attacks.ts";
import { settings } from "./settings-attacks.ts";
import { sockets } from "./socket-attacks.ts";
import { terminal } from "./terminal-attacks.ts";

export interface AttackOptions {
  readonly raceMsPerTool: number;
  /** Every n-th attack of each family is made. */
  readonly stride: number;
  readonly say: (text: string) => void;
}

export interface AttackedAgent {
  readonly families: Readonly<Record<string, FamilyResult>>;
  /** How often tools were used while links were exchanged under them. */
  readonly raceAttempts: number;
}

/** Attacks the agent in every way we know; canaries tell what got out. */
export async function attackAgent({ raceMsPerTool, stride, say }: AttackOptions): Promise<AttackedAgent> {
  const families: Record<string, FamilyResult> = {};
  let raceAttempts = 0;
  const attack = async <World extends AttackWorld>(family: Family<World>, every = stride): Promise<void> => {
    say(`attacking by ${family.name} ...`);
    const result = await runFamily(family, every);
    families[family.name] = result;
    for (const line of result.escapes) say(`  ESCAPED ${line}`);
  };
  await attack(paths);
  await attack(links);
  await attack(
    races(raceMsPerTool, () => raceAttempts++),
    1,
  );
  await attack(terminal);
  await attack(hooks);
  await attack(settings);
  await attack(modes);
  await attack(sandbox);
  await attack(exchanges);
  await attack(userGit);
  await attack(plantedPrograms);
  await attack(protectedPlaces);
  await attack(sockets);
  await attack(secrets);
  await attack(rules);
  await attack(freezes);
  await attack(fetches);
  return { families, raceAttempts };
}
