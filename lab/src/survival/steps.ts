import type { Random } from "../random.ts";
import type { Filler } from "./filler.ts";
import { type PlantedFact, PROGRAMS } from "./planted-fact.ts";

/** One response of the model's, and what comes back: the result of its call, or what the user says then. */
export interface Step {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
  readonly result?: string;
  readonly status?: "ok" | "error";
  readonly user?: string;
}

export interface Steps {
  /** Where such a fact is first seen in life. */
  plant(fact: PlantedFact): Step;
  /** The model has need of it again: in a call or in its words. */
  use(fact: PlantedFact): Step;
  /** Work that has to do with none. */
  fill(): Step;
}

const ROOT = "/home/dev/shop";
const ROUTINE = ["npm test", "npm run lint", "npx tsc --noEmit", "git status --short", "git diff --stat"];

export function createSteps(random: Random, filler: Filler): Steps {
  const among = (lines: string, line: string): string => {
    const all = lines.split("\n");
    all.splice(random.below(all.length + 1), 0, line);
    return all.join("\n");
  };
  const remark = (): Pick<Step, "text"> => (random.happens(0.4) ? { text: filler.remark() } : {});
  const read = (path: string): Step => ({
    call: { name: "Read", input: { file_path: `${ROOT}/${path}` } },
    result: filler.code(path),
  });
  const edit = (path: string, added = `return ${filler.name(path)};`): Step => ({
    call: {
      name: "Edit",
      input: { file_path: `${ROOT}/${path}`, old_string: `return ${filler.name(path)};`, new_string: added },
    },
    result: `The file ${ROOT}/${path} has been updated.`,
  });
  const run = (command: string, output: string, exitCode = 0): Step => ({
    call: { name: "Bash", input: { command: random.happens(0.3) ? `cd ${ROOT} && ${command}` : command } },
    result: exitCode === 0 ? `${output}\n[exit code: 0]` : `Exit code ${exitCode}\n${output}`,
    status: exitCode === 0 ? "ok" : "error",
  });
  const search = (pattern: string, result: string): Step => ({ call: { name: "Grep", input: { pattern } }, result });
  const say = (words: string): Step => {
    const next = random.happens(0.5) ? read(filler.file()) : run(random.pick(ROUTINE), filler.tests());
    return { ...next, text: `${words} ${filler.remark()}` };
  };
  const hear = (words: string): Step => ({
    text: random.pick(["That part is done.", "Done; the checks pass.", "This is in place now."]),
    user: [
      random.pick(["Good.", "Thanks, go on with the next part.", "I had a look at it.", "One more thing."]),
      words,
      ...(random.happens(0.25) ? [`This is from staging:\n${filler.paste()}`] : []),
    ].join(" "),
  });

  function plant({ sort, said, text, exitCode, by }: PlantedFact): Step {
    switch (sort) {
      case "path":
        return random.happens(0.5)
          ? read(text)
          : search(filler.name(filler.file()), among(filler.listing(), `${said}:12: export {`));
      case "command":
        return run(text, filler.tests(), exitCode);
      case "number":
        return run(`npm run -s stats -- ${random.pick(PROGRAMS)}`, among(filler.log(), said));
      case "id":
        return run(`./scripts/recent ${random.pick(PROGRAMS)}`, among(filler.log(), said));
      case "constraint":
        return hear(said);
      case "decision":
        return by === "user" ? hear(said) : { ...edit(filler.file()), text: said };
      case "error":
        return run(`npx vitest run ${filler.file()}`, among(filler.tests(), said), 1);
    }
  }

  function use({ sort, text, exitCode = 0 }: PlantedFact): Step {
    switch (sort) {
      case "path":
        return random.pick([() => read(text), () => edit(text), () => say(`This belongs to ${text}.`)])();
      case "command":
        return random.happens(0.5)
          ? run(text, filler.tests(), exitCode)
          : say(`\`${text}\` ended with exit code ${exitCode} before.`);
      case "number":
        return random.happens(0.5) ? say(`Before, it was ${text}.`) : edit(filler.file(), `// measured: ${text}`);
      case "id":
        return random.happens(0.5) ? run(`./scripts/trace ${text}`, filler.log()) : say(`It began with ${text}.`);
      case "constraint":
        return say(`The user has said: "${text}"`);
      case "decision":
        return say(`As decided: ${text}.`);
      case "error":
        return say(`The same as before: ${text}`);
    }
  }

  function fill(): Step {
    const step = random.pick([
      () => read(filler.file()),
      () => read(filler.file()),
      () => edit(filler.file()),
      () => run(random.pick(ROUTINE), filler.tests()),
      () => run(`kubectl logs deploy/${random.pick(PROGRAMS)} --tail=80`, filler.log()),
      () => search(filler.name(filler.file()), filler.listing()),
      () => run(`ls -la services/${random.pick(PROGRAMS)}/src`, filler.listing()),
    ])();
    return { ...remark(), ...step };
  }

  return { plant: (fact) => ({ ...remark(), ...plant(fact) }), use, fill };
}
