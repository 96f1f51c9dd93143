import { SERVICES } from "./planted-fact.ts";
import type { Random } from "./random.ts";

/** What fills a window beside the facts: the same kinds of names, numbers and paths, most of them seen once. */
export interface Filler {
  /** A file of those that are being worked on: some stay for long, and are read and edited again. */
  file(): string;
  code(): string;
  listing(): string;
  log(): string;
  tests(): string;
  /** A name out of the code. */
  name(): string;
  /** What a model says beside its calls. */
  remark(): string;
  /** What a user pastes along. */
  paste(): string;
}

const STEMS = ["cart", "price", "stock", "session", "report", "queue", "order", "profile", "image", "event", "audit"];
const PARTS = ["Loader", "Cache", "Router", "Mapper", "Client", "Store", "Worker", "Parser", "Schema", "Handler"];
const WORKING_FILES = 14;

export function createFiller(random: Random): Filler {
  const name = (): string => `${random.pick(STEMS)}${random.pick(PARTS)}${random.below(60)}`;
  const path = (): string =>
    `services/${random.pick(SERVICES)}/src/${random.pick(STEMS)}/${random.pick(STEMS)}-${random.pick(STEMS)}${random.below(30)}.ts`;
  const lines = (least: number, more: number, line: (index: number) => string): string =>
    Array.from({ length: least + random.below(more) }, (_, index) => line(index)).join("\n");
  const working = Array.from({ length: WORKING_FILES }, path);
  const code = (index: number): string =>
    random.pick([
      () => `  const ${name()} = await ${name()}.load(${name()}, ${random.below(500)});`,
      () => `  if (${name()}.size > ${random.below(9_999)}) return ${name()}(${random.pick(STEMS)}Id);`,
      () => `  // ${random.pick(STEMS)} must be there before ${random.pick(STEMS)} is read again`,
      () => `export function ${name()}(${random.pick(STEMS)}: ${random.pick(PARTS)}): ${random.pick(PARTS)} {`,
      () =>
        `  metrics.observe("${random.pick(SERVICES)}.${random.pick(STEMS)}", ${index * 7} / ${1 + random.below(99)});`,
      () => "}",
    ])();
  const logLine = (index: number): string => {
    const id = random.below(2 ** 32).toString(16);
    const level = random.happens(0.05) ? "WARN" : "INFO";
    return `2026-03-0${1 + random.below(9)}T10:${10 + (index % 50)}:12Z ${level} ${random.pick(SERVICES)} req_${id} ${name()} took ${random.below(90_000) / 10} ms`;
  };
  return {
    file() {
      const at = random.below(WORKING_FILES);
      if (random.happens(0.12)) working[at] = path();
      return working[at]!;
    },
    code: () => lines(70, 90, (index) => `${index + 1}\t${code(index)}`),
    listing: () => lines(50, 60, () => `${path()}:${1 + random.below(400)}: ${code(1).trim()}`),
    log: () => lines(50, 50, logLine),
    tests: () => {
      const passed = lines(60, 60, () => `ok   ${random.pick(STEMS)} ${name()} (${random.below(9_000) / 10} ms)`);
      return `${passed}\n\n${100 + random.below(900)} passed in ${random.below(900) / 10} s`;
    },
    name,
    remark: () =>
      random.pick([
        () => `Next I look at how ${name()} is called.`,
        () => `That is as expected; ${working[random.below(WORKING_FILES)]!} comes next.`,
        () => "The same pattern once more, so I go on.",
        () => `${name()} seems to be the only caller.`,
      ])(),
    paste: () => lines(10, 30, logLine),
  };
}
