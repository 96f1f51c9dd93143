import { createSearch } from "@palimpsest/observe/replay";
import type { PlantedFact } from "./planted-fact.ts";

/** How an exit code may stand behind its command. */
const EXIT_WITHIN_CHARACTERS = 400;

/** Whether what a model sees has a fact, in whatever form: whole, and of a command how it ended too. */
export function createView(text: string): (fact: PlantedFact) => boolean {
  const has = createSearch(text);
  return ({ sort, text: fact, exitCode }) => {
    if (sort === "path") return has(`path ${fact}`);
    if (exitCode === undefined) return has(`command ${fact}`) || text.includes(escaped(fact));
    return [fact, escaped(fact)].some((command) => isFollowedBy(text, command, exitCode));
  };
}

function isFollowedBy(text: string, command: string, exitCode: number): boolean {
  const code = new RegExp(`exit(?:ed with)?(?: code)?:? ${exitCode}\\b`, "i");
  for (let at = text.indexOf(command); at >= 0; at = text.indexOf(command, at + 1)) {
    const end = at + command.length;
    if (code.test(text.slice(end, end + EXIT_WITHIN_CHARACTERS))) return true;
  }
  return false;
}

/** As it stands in the input of a call that is shown as JSON. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
