/** About what the service counts. */
export const CHARACTERS_PER_TOKEN = 3.5;

/** So many turns in a row that come to nothing are the end. */
export const STUCK_TURNS = 3;

/** Facts that are asked or searched for at one moment. */
const SAMPLED = 9;

/** Some of a list, at equal distances: old facts as well as new ones. */
export function sampleFacts<Fact>(facts: readonly Fact[]): readonly Fact[] {
  const stride = Math.max(1, Math.floor(facts.length / SAMPLED));
  return facts.filter((_, index) => index % stride === 0).slice(0, SAMPLED);
}
