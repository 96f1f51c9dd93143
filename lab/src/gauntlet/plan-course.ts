import { createRandom } from "../random.ts";
import { type CourseFact, createCourseFacts } from "./course-fact.ts";
import { createMaterial } from "./material.ts";

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
/** Besides the task and the facts. In recorded sessions, models write 3 to 16% as much as their tools return. */
const PROSE_CHARACTERS = { user: 120, model: 900 } as const;

/** The turns of a course, endlessly. They depend on the seed alone, so that all contestants run the same course. */
export function* planCourse(seed: string): Generator<PlannedTurn, never> {
  const random = createRandom(seed);
  const material = createMaterial(random);
  const nextFact = createCourseFacts(random);
  /** Puts texts at random places between others. */
  const among = (others: readonly string[], texts: readonly string[]): readonly string[] => {
    const all = [...others];
    for (const text of texts) all.splice(random.below(all.length + 1), 0, text);
    return all;
  };
  for (let turn = 1; ; turn++) {
    const facts = Array.from({ length: FACTS_PER_TURN }, nextFact);
    const shown = facts.filter(({ from }) => from === "file").map(showInFile);
    const files = Array.from({ length: FILES_PER_TURN }, (_, at) => {
      const own = shown.filter((_, index) => index % FILES_PER_TURN === at);
      return { path: `part-${turn}-${at + 1}.txt`, content: among(material.part().split("\n"), own).join("\n") };
    });
    const [first, second, third] = files.map(({ path }) => path);
    const said = (from: CourseFact["from"]) => facts.filter((one) => one.from === from).map(({ fact }) => fact.said);
    const task = `Task ${turn}: go through the parts ${first}, ${second} and ${third}.`;
    const text = [task, ...among(material.prose(PROSE_CHARACTERS.user), said("user"))].join(" ");
    const words = among(material.prose(PROSE_CHARACTERS.model), said("model"));
    const answer = [`Task ${turn} is done.`, ...words].join(" ");
    const characters = [text, answer, ...files.map(({ content }) => content)].join("").length;
    yield { text, files, reads: [[first!, second!], [third!]], answer, facts, characters };
  }
}

/** A command stands with its exit code, as in the output of a shell. */
function showInFile({ fact: { said, exitCode } }: CourseFact): string {
  return exitCode === undefined ? said : `$ ${said}\n[exit code: ${exitCode}]`;
}
