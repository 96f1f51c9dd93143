import { createRandom, type Random } from "../random.ts";
import { PROGRAMS } from "./planted-fact.ts";

/**
 * What fills a window beside the facts: names, numbers and paths of the same kinds, most of them seen once. The results of
 * 26 recorded sessions had 3.7 different ones in 1,000 characters (2.1 to 8.0); these have about 5.
 */
export interface Filler {
  /** A file of those that are being worked on: some stay for long, and are read and edited again. */
  file(): string;
  code(path: string): string;
  listing(): string;
  log(): string;
  tests(): string;
  /** A name out of the code of a file. */
  name(path: string): string;
  /** What a model says beside its calls. */
  remark(): string;
  /** What a user pastes along. */
  paste(): string;
}

const STEMS = ["cart", "price", "stock", "session", "report", "queue", "order", "profile", "image", "event", "audit"];
const PARTS = ["Loader", "Cache", "Router", "Mapper", "Client", "Store", "Worker", "Parser", "Schema", "Handler"];
const DEEDS = ["is read again", "waits for its turn", "was left as it is", "comes before the others", "is told once"];
const WHEN = [
  "when nothing is there",
  "after a restart",
  "with two writers",
  "for old data",
  "if the other side is slow",
];
const WORKING_FILES = 14;
const NAMES_PER_FILE = 30;
const LINES = 90;

export function createFiller(random: Random): Filler {
  /** Code speaks of what is its own: few names are ever seen in two files. */
  const name = (path: string): string => {
    const own = createRandom(`${path} ${random.below(NAMES_PER_FILE)}`);
    return `${own.pick(STEMS)}${own.pick(PARTS)}${own.pick(PARTS)}${own.below(600)}`;
  };
  const path = (): string =>
    `services/${random.pick(PROGRAMS)}/src/${random.pick(STEMS)}/${random.pick(STEMS)}-${random.pick(STEMS)}${random.below(8)}.ts`;
  const prose = (): string => `${random.pick(STEMS)} ${random.pick(DEEDS)} ${random.pick(WHEN)}`;
  const lines = (count: number, line: (index: number) => string): string =>
    Array.from({ length: Math.ceil(count / 2) + random.below(count) }, (_, index) => line(index)).join("\n");
  const working = Array.from({ length: WORKING_FILES }, path);
  const code = (file: string, index: number): string =>
    random.pick([
      () => `  const ${random.pick(STEMS)} = await ${name(file)}.load(${random.pick(STEMS)}, ${random.below(500)});`,
      () => `  if (${random.pick(STEMS)}.size > ${random.below(999)}) return ${name(file)}(${random.pick(STEMS)}Id);`,
      () => `  // The ${prose()}, and the ${prose()}.`,
      () => `export function ${name(file)}(${random.pick(STEMS)}: ${random.pick(PARTS)}): ${random.pick(PARTS)} {`,
      () => `  for (const ${random.pick(STEMS)} of all) total += ${random.pick(STEMS)}.count * ${index % 9};`,
      () => "}",
    ])();
  const logLine = (index: number): string => {
    const service = random.pick(PROGRAMS);
    const line = `10:${10 + (index % 50)}:12 ${random.happens(0.05) ? "WARN" : "INFO"} ${service}: the ${prose()}`;
    if (random.happens(0.4)) return `${line} (req_${random.below(2 ** 32).toString(16)})`;
    return random.happens(0.4) ? `${line}, took ${random.below(9_000) / 10} ms` : line;
  };
  return {
    file() {
      const at = random.below(WORKING_FILES);
      if (random.happens(0.12)) working[at] = path();
      return working[at]!;
    },
    code: (file) => lines(LINES, (index) => `${index + 1}\t${code(file, index)}`),
    // A search finds several places in each file.
    listing: () => {
      const files = Array.from({ length: 20 }, path);
      return lines(LINES, (index) => {
        const file = random.pick(files);
        return `${file}:${1 + random.below(400)}: ${code(file, index).trim()}`;
      });
    },
    log: () => lines(LINES, logLine),
    tests: () => {
      const passed = lines(LINES, () => `ok   ${random.pick(PROGRAMS)}: the ${prose()} (${1 + random.below(99)} ms)`);
      return `${passed}\n\n${100 + random.below(900)} passed in ${random.below(900) / 10} s`;
    },
    name,
    remark: () =>
      random.pick([
        () => `Next I look at how ${name(working[0]!)} is called.`,
        () => `That is as expected; ${working[random.below(WORKING_FILES)]!} comes next.`,
        () => "The same pattern once more, so I go on.",
        () => `${name(working[1]!)} seems to be the only caller.`,
      ])(),
    paste: () => lines(20, logLine),
  };
}
