import type { Canaries } from "./canaries.ts";

/** Where an attack takes place. */
export interface AttackWorld {
  readonly canaries: Pick<Canaries, "check">;
}

export interface Attack {
  readonly name: string;
  /** Makes the attack. Returns everything that the attacker gets to see. */
  run(): Promise<string>;
  /** Harm that canaries do not notice; undefined if there is none. */
  readonly harm?: (said: string) => string | undefined | Promise<string | undefined>;
  /** Whether the harm was told to the user, where that is all that is promised. */
  readonly isReported?: (said: string) => boolean;
}

/** Attacks on one guard. They do not know whether it is there. */
export interface Family<World extends AttackWorld = AttackWorld> {
  readonly name: string;
  /** One of GUARDS. */
  readonly guard: string;
  /** The module that exports this family: it is loaded once more with the guard turned off. */
  readonly from: string;
  /** `nothing`: its attacks read or decide, and share a world. @default each has one of its own, which leftovers of others would spoil */
  readonly leaves?: "nothing" | "traces";
  /** Builds a world, and removes it after the action. */
  inWorld<Result>(act: (world: World) => Promise<Result>): Promise<Result>;
  /** The same attacks in the same order for every world. */
  attacks(world: World): readonly Attack[];
}

export interface FamilyResult {
  /** Attacks that succeed with the guard removed. Only these count: an attack that harms nobody proves nothing. */
  readonly cases: number;
  /** Attacks that succeeded although the guard was there. */
  readonly escapes: readonly string[];
  /** Attacks that do no harm even without the guard. They are made all the same. */
  readonly harmless: readonly string[];
  /** Attacks that succeeded although the guard was there, and were reported, as promised. They count neither as held nor as escapes. */
  readonly reportedOnly: readonly string[];
}

type Attacked<World extends AttackWorld> = Pick<Family<World>, "inWorld" | "attacks" | "leaves">;

/**
 * Makes every attack of a family, with the guard and without it.
 * @param bare the same family, loaded with its guard turned off
 * @param atMost with fewer attacks than that, all are made; else so many, evenly spread
 */
export async function runFamily<World extends AttackWorld>(
  family: Attacked<World>,
  bare: Attacked<World>,
  atMost: number = Number.POSITIVE_INFINITY,
): Promise<FamilyResult> {
  if (family.leaves !== "nothing") return runEach(family, bare, atMost);
  const inside = ({ attacks }: Attacked<World>, world: World): Attacked<World> => ({
    attacks,
    inWorld: (act) => act(world),
  });
  return family.inWorld((world) =>
    bare.inWorld((other) => runEach(inside(family, world), inside(bare, other), atMost)),
  );
}

async function runEach<World extends AttackWorld>(
  family: Attacked<World>,
  bare: Attacked<World>,
  atMost: number,
): Promise<FamilyResult> {
  const result = { cases: 0, escapes: [] as string[], harmless: [] as string[], reportedOnly: [] as string[] };
  const names = await family.inWorld(async (world) => family.attacks(world).map(({ name }) => name));
  const stride = Math.max(1, names.length / atMost);
  for (let next = 0; next < names.length; next += stride) {
    const at = Math.floor(next);
    const name = names[at]!;
    const kept = await family.inWorld((world) => make(family.attacks(world)[at]!, world));
    if (kept.harms.length > 0 && kept.isReported) {
      result.reportedOnly.push(name);
      continue;
    }
    const removed = await bare.inWorld((world) => make(bare.attacks(world)[at]!, world));
    if (kept.harms.length > 0) result.escapes.push(`${name}: ${kept.harms.join("; ")}`);
    if (removed.harms.length === 0) result.harmless.push(name);
    else result.cases++;
  }
  return result;
}

/** Makes one attack, and returns the harm that it did. What the attack returns or throws proves nothing by itself. */
async function make(
  attack: Attack,
  world: AttackWorld,
): Promise<{ readonly harms: readonly string[]; readonly isReported: boolean }> {
  const said = await attack.run().catch((error: unknown) => String(error));
  const harmed = await attack.harm?.(said);
  const harms = [...(await world.canaries.check(said)), ...(harmed === undefined ? [] : [harmed])];
  return { harms, isReported: attack.isReported?.(said) ?? false };
}
