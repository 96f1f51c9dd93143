import type { Random } from "../random.ts";
import { createFacts, type FactSort, type PlantedFact, SORTS } from "../survival/planted-fact.ts";

/** Kinds of facts whose form no rule of our evidence knows: no path, number, name of code, command or error. */
const UNCOLLECTED = ["person", "remark", "german", "cell"] as const;
const KINDS: readonly FactKind[] = [...SORTS, ...UNCOLLECTED];

type FactKind = FactSort | (typeof UNCOLLECTED)[number];

/** A fact in the course: planted once, and looked for later. */
export interface CourseFact {
  readonly kind: FactKind;
  /** Whether our own evidence has rules for facts of this kind. */
  readonly ledger: "collects" | "does-not-collect";
  /** Who shows it first. */
  readonly from: "file" | "user" | "model";
  readonly fact: PlantedFact;
}

const GIVEN = ["Ottoline", "Casimir", "Perpetua", "Anselm", "Ludmila", "Ignatius", "Rosalind", "Thaddeus"];
const FAMILY = ["Brandvold", "Okonjo", "Vaillant", "Szabados", "Quillfeather", "Marchetti", "Lindqvist", "Abernathy"];
const MOODS = ["sluggish", "brittle", "surprisingly calm", "crowded", "half asleep", "out of tune", "eager"];
const WHILE = ["while the harbor office eats", "once the choir has left", "whenever it rains", "after the night train"];
const SHIFTS = ["die Nachtschicht", "das Lager am Hafen", "die Aushilfe im Archiv", "der Pförtner am Tor"];
const COLORS = ["teal", "ochre", "crimson", "ivory", "amber", "violet", "mossy", "slate"];
const ANIMALS = ["otter", "heron", "badger", "lynx", "magpie", "walrus", "gecko", "stoat"];

/** A maker of facts, in turn of every kind. No two are about the same thing. */
export function createCourseFacts(random: Random): () => CourseFact {
  const make = createFacts(random);
  let count = 0;
  return () => {
    const kind = KINDS[count++ % KINDS.length]!;
    if (!isUncollected(kind)) {
      const fact = make(kind);
      return { kind, ledger: "collects", from: placeOf(fact), fact };
    }
    const { cue } = make("error");
    const about = cue.replaceAll('"', "");
    const [text, said] = sayUncollected(kind, about, random);
    // For the search and the summarizer it is a line like an error: letter for letter, and seldom kept.
    const fact: PlantedFact = { sort: "error", by: "model", cue, text, said };
    return { kind, ledger: "does-not-collect", from: kind === "german" ? "model" : "file", fact };
  };
}

function isUncollected(kind: FactKind): kind is (typeof UNCOLLECTED)[number] {
  return (UNCOLLECTED as readonly string[]).includes(kind);
}

function placeOf({ sort, by }: PlantedFact): CourseFact["from"] {
  if (sort === "constraint") return "user";
  return sort === "decision" ? by : "file";
}

function sayUncollected(
  kind: (typeof UNCOLLECTED)[number],
  about: string,
  random: Random,
): readonly [text: string, said: string] {
  switch (kind) {
    case "person": {
      const text = `${random.pick(GIVEN)} ${random.pick(FAMILY)} signs off ${about}`;
      return [text, `${text}.`];
    }
    case "remark": {
      const text = `${about} feels ${random.pick(MOODS)} ${random.pick(WHILE)}`;
      return [text, `Somebody noted that ${text}.`];
    }
    case "german": {
      const text = `Über ${about} entscheidet allein ${random.pick(SHIFTS)}`;
      return [text, `${text}.`];
    }
    case "cell": {
      const text = `${about} | ${random.pick(COLORS)} ${random.pick(ANIMALS)}`;
      return [text, `| ${text} | weekly |`];
    }
  }
}
