import { existsSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { openTools } from "./open-tools.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Programs that the agent starts by itself, around a command or for a search. */
const PROGRAMS = ["bwrap", "socat", "rg", "bash", "sh", "git", "node", "prlimit", "python3", "env"];

/** How a folder of the project gets to the front of PATH: `npx` and npm scripts put `node_modules/.bin` there. */
const PLACES: readonly [name: string, entry: (folder: string) => string][] = [
  ["node_modules/.bin", (folder) => join(folder, "node_modules/.bin")],
  ["the project", (folder) => folder],
  ["a folder written with dots", (folder) => join(folder, "sub/../node_modules/.bin")],
  ["a link from elsewhere", (folder) => join(folder, "../outside-bin")],
];

/** A repository brings programs with the names of those that the agent starts. They must not run outside of the sandbox. */
export const plantedPrograms: Family<Playground> = {
  name: "planted programs",
  guard: "programs outside of the roots",
  from: import.meta.url,
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks: (playground) =>
    PLACES.flatMap(([place, entry]) =>
      PROGRAMS.map(
        (program): Attack => ({
          name: `${program} in ${place}`,
          run: () => runPlanted(program, entry(playground.folder), playground),
          harm: () => (existsSync(proofOf(playground)) ? "a planted program ran outside of the sandbox" : undefined),
        }),
      ),
    ),
};

/** The command cannot write there: only a program outside of the sandbox can. */
const proofOf = ({ base }: Playground): string => join(base, "proof");

async function runPlanted(program: string, entry: string, playground: Playground): Promise<string> {
  const { folder, base } = playground;
  for (const place of [join(folder, "node_modules/.bin"), folder]) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, program), `#!/bin/sh\n: > ${proofOf(playground)}\nexit 1\n`, { mode: 0o755 });
  }
  const link = join(base, "outside-bin");
  await rm(link, { force: true });
  await symlink(join(folder, "node_modules/.bin"), link);
  const environment = { ...process.env, PATH: `${entry}:${process.env["PATH"]}`, HOME: playground.home };
  try {
    await using tools = await openTools({ ...playground, environment, shell: "sandbox" });
    const used = [
      await tools.use("Bash", { command: "ls; pwd" }).catch(String),
      await tools.use("Bash", { command: "true", run_in_background: true }).catch(String),
      await tools.use("Grep", { pattern: "inside" }).catch(String),
      await tools.use("Glob", { pattern: "*.txt" }).catch(String),
    ];
    return used.join("\n");
  } finally {
    for (const place of [join(folder, "node_modules/.bin"), folder]) await rm(join(place, program), { force: true });
  }
}
