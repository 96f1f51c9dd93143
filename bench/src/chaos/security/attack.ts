import type { Canaries } from "./canaries.ts";

/** Every attack is made with all guards, and once more with the guard of its family removed. */
export type Guards = "kept" | "removed";

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
}

/** Attacks on one guard. */
export interface Family<World extends AttackWorld = AttackWorld> {
  readonly name: string;
  /** Builds a world, and removes it after the action. */
  inWorld<Result>(guards: Guards, act: (world: World) => Promise<Result>): Promise<Result>;
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
}

/** Makes every attack of a family, or every n-th one, with the guard and without it. */
export async function runFamily<World extends AttackWorld>(
  { inWorld, attacks }: Family<World>,
  stride = 1,
): Promise<FamilyResult> {
  const escapes: string[] = [];
  const made: { readonly at: number; readonly name: string }[] = [];
  // One world for all attacks that are expected to fail. A world that was harmed proves nothing more, and is replaced.
  for (let next = 0, more = true; more; ) {
    await inWorld("kept", async (world) => {
      const list = attacks(world);
      for (let harm: readonly string[] = []; next < list.length && harm.length === 0; next += stride) {
        const attack = list[next]!;
        harm = await make(attack, world);
        made.push({ at: next, name: attack.name });
        if (harm.length > 0) escapes.push(`${attack.name}: ${harm.join("; ")}`);
      }
      more = next < list.length;
    });
  }
  const harmless: string[] = [];
  for (const { at, name } of made) {
    const harm = await inWorld("removed", (world) => make(attacks(world)[at]!, world));
    if (harm.length === 0) harmless.push(name);
  }
  return { cases: made.length - harmless.length, escapes, harmless };
}

/** Makes one attack, and returns the harm that it did. What the attack returns or throws proves nothing by itself. */
async function make(attack: Attack, world: AttackWorld): Promise<readonly string[]> {
  const said = await attack.run().catch((error: unknown) => String(error));
  const harmed = await attack.harm?.(said);
  return [...(await world.canaries.check(said)), ...(harmed === undefined ? [] : [harmed])];
}
