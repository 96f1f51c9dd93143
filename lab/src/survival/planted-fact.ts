import type { Random } from "../random.ts";

export const SORTS = ["path", "command", "number", "id", "constraint", "decision", "error"] as const;
export type FactSort = (typeof SORTS)[number];

/** Something that whoever goes on with the work may have to know letter for letter. */
export interface PlantedFact {
  readonly sort: FactSort;
  /** What must be there. */
  readonly text: string;
  /** Of a command: how it ended. It must be there too. */
  readonly exitCode?: number;
  /** The line or sentence in which it is first seen. */
  readonly said: string;
  /** By whom a decision is made. */
  readonly by: "user" | "model";
  /** Words of its surroundings, for a search by somebody who has forgotten the fact itself. */
  readonly cue: string;
}

interface Subject {
  readonly service: string;
  readonly verb: string;
  readonly noun: string;
}

export const PROGRAMS: readonly string[] = words(
  "billing checkout shipping catalog payments accounts search notify reports gateway media",
);
const VERBS = words("export import refresh settle retry archive merge split verify expire publish restore rotate sync");
/** Nothing else in a session speaks of these. */
const NOUNS = words("refund voucher parcel tariff mandate ledger quota badge coupon shelf lease docket");
const WAYS = [
  ["an outbox table", "polling"],
  ["optimistic locking", "row locks"],
  ["a bounded queue", "unbounded workers"],
  ["server-sent events", "websockets"],
  ["cursor pagination", "offsets"],
  ["a nightly batch", "per-request writes"],
] as const;

/** A maker of facts no two of which are about the same thing. */
export function createFacts(random: Random): (sort: FactSort) => PlantedFact {
  const taken = new Set<string>();
  return (sort) => {
    for (;;) {
      const subject = { service: random.pick(PROGRAMS), verb: random.pick(VERBS), noun: random.pick(NOUNS) };
      const key = Object.values(subject).join(" ");
      if (taken.has(key)) continue;
      taken.add(key);
      const cue = `${subject.service} "${subject.verb} ${subject.noun}"`;
      return { sort, by: "user", cue, ...MAKERS[sort](subject, random) };
    }
  };
}

type Made = Pick<PlantedFact, "text" | "said"> & Partial<PlantedFact>;
type Maker = (subject: Subject, random: Random) => Made;

const MAKERS: Readonly<Record<FactSort, Maker>> = {
  path({ service, verb, noun }, random) {
    const text = random.pick([
      `services/${service}/src/${noun}/${verb}-${noun}.ts`,
      `services/${service}/jobs/${verb}_${noun}.py`,
      `infra/${service}/${verb}-${noun}.yaml`,
      `docs/runbooks/${service}/${verb}-${noun}.md`,
    ]);
    return { text, said: text };
  },
  command({ service, verb, noun }, random) {
    const text = random.pick([
      `make ${service}-${verb}-${noun} JOBS=${2 + random.below(14)}`,
      `npm run -w services/${service} ${verb}-${noun} -- --shard ${random.below(8)}/8`,
      `go test ./${service}/... -run "Test ${verb} ${noun}" -count=${1 + random.below(9)}`,
      `docker compose run --rm ${service} bin/${verb}-${noun} --since ${1 + random.below(28)}d`,
    ]);
    const exitCode = random.pick([0, 0, 1, 2, 101, 124, 137]);
    return { text, said: text, exitCode };
  },
  number({ service, verb, noun }, random) {
    const digits = 1_000 + random.below(9_000);
    return random.pick([
      () => numbered(`${digits / 10} ms`, (value) => `${service} ${verb}-${noun} p95 ${value}`),
      () => numbered(`${1_000 + digits}`, (value) => `${service}: ${verb}-${noun} listens on port ${value}`),
      () => numbered(`${digits / 100}%`, (value) => `coverage of ${service} ${verb}-${noun} is ${value}`),
      () =>
        numbered(
          `${10 + random.below(900)},${100 + random.below(900)}`,
          (value) => `${service} ${verb}_${noun} processed ${value} rows`,
        ),
      () => numbered(`${digits / 100} MB`, (value) => `dist/${service}/${verb}-${noun}.js  ${value}`),
    ])();
  },
  id({ service, verb, noun }, random) {
    const hex = (length: number): string => Array.from({ length }, () => random.below(16).toString(16)).join("");
    const [text, label] = random.pick([
      [`${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`, "job"],
      [`${hex(5)}7c`, "commit"],
      [hex(40), "commit"],
      [`${service.slice(0, 4).toUpperCase()}-${1_000 + random.below(9_000)}`, "ticket"],
      [`req_${hex(6)}${random.below(1_000_000).toString(36)}`, "request"],
      [`${1_000_000_000 + random.below(1_000_000_000)}`, "run"],
    ] as const);
    return { text, said: `${label} ${text}: ${service} ${verb}-${noun}` };
  },
  constraint({ service, verb, noun }, random) {
    const text = random.pick([
      `Never write to the ${service}_${verb}_${noun} table directly.`,
      `Please don't add a dependency to ${service} for the ${verb} ${noun} part.`,
      `The ${verb}-${noun} endpoint of ${service} has to answer within ${100 + random.below(900)} ms.`,
      `Leave the public names in ${service} ${verb}-${noun} as they are.`,
    ]);
    return { text, said: text };
  },
  decision({ service, verb, noun }, random) {
    const [taken, left] = random.pick(WAYS);
    const text = `${taken} instead of ${left} for ${service} ${verb}-${noun}`;
    if (random.happens(0.5)) return { text, said: random.pick([`Let's use ${text}.`, `We go with ${text}.`]) };
    const said = random.pick([`I'll use ${text}, since it is simpler to test.`, `So the decision is ${text}.`]);
    return { text, said, by: "model" };
  },
  error({ service, verb, noun }, random) {
    const count = 10 + random.below(90);
    const text = random.pick([
      `TypeError: Cannot read properties of undefined (reading '${verb}_${noun}') in ${service}`,
      `ERROR: relation "${service}_${verb}_${noun}" does not exist`,
      `AssertionError: expected ${count} rows of ${service} ${verb} ${noun}, got ${count + 1}`,
      `${service}/${verb}_${noun}.go:${count}: undefined: ${verb}_${noun}_v${count}`,
      `fatal: ${service} ${verb}-${noun} timed out after ${count} s`,
    ]);
    return { text, said: text };
  },
};

function numbered(text: string, said: (value: string) => string): Made {
  return { text, said: said(text) };
}

function words(list: string): readonly string[] {
  return list.split(" ");
}
