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

/**
 * Makes every attack of a family, or every n-th one, with the guard and without it. Each has a world of its own: leftovers of another
 * attack could spoil it, and an attack that fails for that reason proves nothing.
 */
export async function runFamily<World extends AttackWorld>(
  { inWorld, attacks }: Family<World>,
  stride = 1,
): Promise<FamilyResult> {
  const escapes: string[] = [];
  const harmless: string[] = [];
  const names = await inWorld("removed", async (world) => attacks(world).map(({ name }) => name));
  const made = names.flatMap((name, at) => (at % stride === 0 ? [{ name, at }] : []));
  for (const { name, at } of made) {
    const [kept, removed] = [await harmDone("kept", at), await harmDone("removed", at)];
    if (kept.length > 0) escapes.push(`${name}: ${kept.join("; ")}`);
    if (removed.length === 0) harmless.push(name);
  }
  return { cases: made.length - harmless.length, escapes, harmless };

  function harmDone(guards: Guards, at: number): Promise<readonly string[]> {
    return inWorld(guards, (world) => make(attacks(world)[at]!, world));
  }
}

/** Makes one attack, and returns the harm that it did. What the attack returns or throws proves nothing by itself. */
async function make(attack: Attack, world: AttackWorld): Promise<readonly string[]> {
  const said = await attack.run().catch((error: unknown) => String(error));
  const harmed = await attack.harm?.(said);
  return [...(await world.canaries.check(said)), ...(harmed === undefined ? [] : [harmed])];
}
