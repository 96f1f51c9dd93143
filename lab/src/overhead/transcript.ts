/** One round of an agent: a call, and what the tool returned for it. Two messages in most forms. */
export interface Round {
  readonly index: number;
  readonly callId: string;
  readonly path: string;
  readonly output: string;
}

/** Every tenth result is large, as when a whole file or the output of a build is read. */
const LARGE_EVERY = 10;
const OUTPUT_BYTES = { usual: 4_096, large: 40_960 };

/** Rounds of a session without end. Each output is a text of its own, so that nobody gains by sharing them. */
export function roundAt(index: number): Round {
  const path = `src/module-${index}.ts`;
  const sizeBytes = OUTPUT_BYTES[index % LARGE_EVERY === LARGE_EVERY - 1 ? "large" : "usual"];
  const line = `  const value${index} = await readValue("${path}", { line: ${index} });\n`;
  // Through bytes: repeated text is a tree of pieces until it is first read, and the first reader would pay for it.
  const output = Buffer.from(line.repeat(Math.ceil(sizeBytes / line.length))).toString("latin1", 0, sizeBytes);
  return { index, callId: `toolu_${index}`, path, output };
}

/** The rounds that a transcript of so many messages has. */
export function* roundsBefore(messages: number): Generator<Round> {
  for (let index = 0; index < messages / 2; index++) yield roundAt(index);
}
