import { createRandom } from "../random.ts";
import { createFiller } from "../survival/filler.ts";
import { type CourseFact, createCourseFacts } from "./course-fact.ts";

/** A turn of the course: what the user says, which files the model reads, and how it answers. */
export interface PlannedTurn {
  readonly text: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
  /** Paths that the model reads together, request by request. */
  readonly reads: readonly (readonly string[])[];
  readonly answer: string;
  readonly facts: readonly CourseFact[];
  /** The characters that the turn adds to the conversation. */
  readonly characters: number;
}

const FACTS_PER_TURN = 3;
const FILES_PER_TURN = 3;

/** The turns of a course, endlessly. They depend on the seed alone, so that all contestants run the same course. */
export function* planCourse(seed: string): Generator<PlannedTurn, never> {
  const random = createRandom(seed);
  const filler = createFiller(random);
  const nextFact = createCourseFacts(random);
  for (let turn = 1; ; turn++) {
    const facts = Array.from({ length: FACTS_PER_TURN }, nextFact);
    const shown = facts.filter(({ from }) => from === "file").map(showInFile);
    const files = Array.from({ length: FILES_PER_TURN }, (_, at) => {
      const path = `part-${turn}-${at + 1}.txt`;
      const lines = (at % 2 === 0 ? filler.code(path) : filler.log()).split("\n");
      const mine = shown.filter((_, index) => index % FILES_PER_TURN === at);
      for (const line of mine) lines.splice(random.below(lines.length + 1), 0, line);
      return { path, content: lines.join("\n") };
    });
    const [first, second, third] = files.map(({ path }) => path);
    const said = (from: CourseFact["from"]) => facts.filter((one) => one.from === from).map(({ fact }) => fact.said);
    const text = [`Task ${turn}: go through the parts ${first}, ${second} and ${third}.`, ...said("user")].join(" ");
    const answer = [`Task ${turn} is done.`, filler.remark(), ...said("model")].join(" ");
    const characters = [text, answer, ...files.map(({ content }) => content)].join("").length;
    yield { text, files, reads: [[first!, second!], [third!]], answer, facts, characters };
  }
}

/** A command stands with its exit code, as in the output of a shell. */
function showInFile({ fact: { said, exitCode } }: CourseFact): string {
  return exitCode === undefined ? said : `$ ${said}\n[exit code: ${exitCode}]`;
}
