import fc from "fast-check";
import { GOOD_SUMMARIZERS, SUMMARIZERS } from "./summarizers.ts";
import type { Profile } from "./worlds.ts";

/** What somebody says or a tool returns: so many windows of it, in one of several scripts. */
export interface Text {
  readonly windows: number;
  readonly script: number;
}

/** A turn of the user's. */
export interface Turn {
  readonly say: Text;
  /** Rounds of tool calls before the model ends it. */
  readonly rounds: number;
  readonly calls: number;
  readonly result: Text;
  /** What is done when it has ended. */
  readonly afterwards: "nothing" | "compact" | "reopen" | "pin" | "come-back";
}

/** A session, its model, and what becomes of its summaries. */
export interface Case {
  readonly profile: Profile;
  readonly windowTokens: number;
  /** The server's own limit may be less than it says. */
  readonly trueShare: number;
  readonly seed: number;
  readonly summarizer: string;
  readonly task: Text;
  /** What was said before the first request: an imported conversation. */
  readonly before: readonly Text[];
  readonly turns: readonly Turn[];
}

/** Of numbers from `least` to `most`, small ones as often as large ones. */
function logUniform(least: number, most: number): fc.Arbitrary<number> {
  return fc.noBias(fc.double({ min: Math.log(least), max: Math.log(most), noNaN: true })).map(Math.exp);
}

function texts(windows: fc.Arbitrary<number>): fc.Arbitrary<Text> {
  return fc.record({ windows, script: fc.nat(4) });
}

const short = logUniform(0.002, 0.05);

function turns({ history, maxRounds }: CaseOptions): fc.Arbitrary<Turn> {
  const large = history[1];
  const said = fc.oneof(
    { weight: 60, arbitrary: short },
    { weight: 8, arbitrary: logUniform(0.05, Math.min(1, large / 4)) },
    // One message alone is several windows.
    { weight: 1, arbitrary: fc.constant(5) },
  );
  return fc.record({
    say: texts(said),
    rounds: fc.nat(maxRounds),
    calls: fc.integer({ min: 1, max: 3 }),
    result: texts(logUniform(0.005, large / 4)),
    afterwards: fc.constantFrom("nothing", "nothing", "compact", "reopen", "pin", "come-back"),
  });
}

export interface CaseOptions {
  readonly profiles: readonly Profile[];
  readonly windowTokens: fc.Arbitrary<number>;
  /** What was said before, in windows: from, to. */
  readonly history: readonly [number, number];
  readonly maxTurns: number;
  readonly maxRounds: number;
}

export function cases(options: CaseOptions): fc.Arbitrary<Case> {
  const { profiles, windowTokens, history, maxTurns } = options;
  const before = fc
    .record({ windows: logUniform(...history), pieces: fc.integer({ min: 2, max: 12 }), script: fc.nat(4) })
    .map(({ windows, pieces, script }) =>
      Array.from({ length: pieces }, (_, index): Text => ({ windows: windows / pieces, script: (script + index) % 5 })),
    );
  return fc.record({
    profile: fc.constantFrom(...profiles),
    windowTokens,
    // Far enough below what the server says that a view which is small enough for the engine is refused.
    trueShare: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(0.6, 0.45) }),
    seed: fc.nat(),
    // Some that can be used, so that there are summaries of all kinds to go on from.
    summarizer: fc.constantFrom(...Object.keys(SUMMARIZERS), ...GOOD_SUMMARIZERS, ...GOOD_SUMMARIZERS),
    task: texts(fc.oneof({ weight: 40, arbitrary: short }, { weight: 1, arbitrary: logUniform(0.05, 5) })),
    before,
    turns: fc.array(turns(options), { minLength: 1, maxLength: maxTurns }),
  });
}

/** Ratios of characters to tokens differ by script; a window is taken as four characters a token. */
const CHARACTERS_PER_TOKEN = 4;
const SCRIPTS = [
  "The loader in src/load.ts reads every line once, keeps what it needs and hands on the rest of them to the next. ",
  '{"path":"src/load.ts","line":4711,"ok":false,"values":[3.14159,2718,0,-1,99999]}\n',
  "読み込みは一行ずつ行い、必要なものだけを残して次へ渡します。これは長い文章です。",
  "export function load(path: string): readonly Line[] {\n  return read(path).map((line) => parse(line));\n}\n",
  "🙂🚀 ça été naïve — Привет, мир! ΑΒΓ 0x7f3a9c11 a1b2c3d4e5f60718 ",
].map((text) => text.repeat(Math.ceil(70_000 / text.length)));

/** A text whose beginning no other text has. */
export function textOf({ windows, script }: Text, windowTokens: number, name: string): string {
  const characters = Math.max(8, Math.floor(windows * windowTokens * CHARACTERS_PER_TOKEN));
  const filling = SCRIPTS[script % SCRIPTS.length]!;
  const whole = characters <= filling.length ? filling : filling.repeat(Math.ceil(characters / filling.length));
  return `«${name}» ${whole.slice(0, characters)} «end of ${name}»`.toWellFormed();
}
