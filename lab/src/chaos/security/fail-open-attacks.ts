import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decidePermission, toPermissionCall } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { openTools } from "./open-tools.ts";
import { inPlayground, type Places, type Playground } from "./playground.ts";

/** Ways in which a sandbox cannot be had. Each is a folder for PATH. */
const BROKEN: readonly [name: string, make: (folder: string) => Promise<unknown>][] = [
  ["is not installed", async () => undefined],
  ["fails", (folder) => program(folder, "exit 1")],
  ["is killed", (folder) => program(folder, "kill -9 $$")],
  ["is a folder", (folder) => mkdir(join(folder, "bwrap"))],
  ["cannot be executed", (folder) => writeFile(join(folder, "bwrap"), "#!/bin/sh\n", { mode: 0o644 })],
  ["is a link to nothing", (folder) => symlink("/nowhere", join(folder, "bwrap"))],
  ["is no program", (folder) => writeFile(join(folder, "bwrap"), "not a program", { mode: 0o755 })],
  ["lacks what it needs", (folder) => program(folder, "echo 'No permissions to create new namespace' >&2; exit 1")],
];

async function program(folder: string, line: string): Promise<void> {
  await writeFile(join(folder, "bwrap"), `#!/bin/sh\n${line}\n`);
  await chmod(join(folder, "bwrap"), 0o755);
}

/** Settings by which no command may run without a sandbox. */
const STRICT: readonly [name: string, settings: object][] = [
  ["a sandbox is required", { sandbox: "required", permissions: { allow: ["Bash"] } }],
  ["the network is denied", { permissions: { allow: ["Bash"], deny: ["Network"] } }],
  ["a part of the network is denied", { permissions: { allow: ["Bash"], deny: ["Network(*.evil.example)"] } }],
  ["both", { sandbox: "required", permissions: { mode: "bypass", deny: ["Network"] } }],
];
const WAYS = [{}, { run_in_background: true }, { network: ["registry.npmjs.org"] }] as const;

/** Where there is no sandbox, and the user wants one, nothing runs. */
export const missingSandbox: Family<Playground> = {
  name: "no sandbox",
  guard: "refused commands",
  from: import.meta.url,
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks: (playground) =>
    BROKEN.flatMap(([how, make]) =>
      STRICT.flatMap(([wish, settings]) =>
        WAYS.map((way): Attack => {
          const proof = join(playground.base, "proof");
          return {
            name: `bubblewrap ${how}, ${wish}: ${JSON.stringify(way)}`,
            run: () => runBroken(make, settings, { command: `: > ${proof}`, ...way }, playground),
            harm: () => (existsSync(proof) ? "a command ran" : undefined),
          };
        }),
      ),
    ),
};

async function runBroken(
  make: (folder: string) => Promise<unknown>,
  settings: object,
  input: object,
  playground: Playground & Places,
): Promise<string> {
  const { base, agentHome, home } = playground;
  const path = join(base, "bin");
  await mkdir(path);
  await make(path);
  await writeFile(join(agentHome, "settings.json"), JSON.stringify(settings));
  const environment = { PATH: path, HOME: home };
  await using tools = await openTools({ ...playground, environment, shell: "sandbox" });
  const said = await tools.use("Bash", input);
  await new Promise((resolve) => setTimeout(resolve, "run_in_background" in input ? 300 : 0));
  return said;
}

/** Lines that a sandbox would keep in the project, and nothing else does. */
const LINES = [
  ...[
    "ls",
    "cat README.md",
    "npm test",
    "make",
    "node x.js",
    "python3 x.py",
    "git status",
    "touch a",
    "mkdir b",
    "cp a b",
  ],
  ...[
    "rm -rf build",
    "sed -i s/a/b/ a",
    "echo x > a",
    "tar xf a.tar",
    "cargo build",
    "go test ./...",
    "./run.sh",
    "env",
  ],
  ...["find . -delete", "git commit -m x", "npm run build && npm test", "(cd sub; make)", "bash -c ls", "true", "a=1"],
];

/** In the mode that runs enclosed commands without a question, a command that nothing encloses asks. */
export const unasked: Family<Playground> = {
  name: "commands without a sandbox",
  guard: "questions without a sandbox",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) => inPlayground(act, { shell: "none" }),
  attacks: (playground) =>
    LINES.map(
      (line): Attack => ({
        name: line,
        async run() {
          const tool = { name: "Bash", effect: "run", commands: "none" } as const;
          return decidePermission("auto", [], await toPermissionCall(tool, { command: line }, playground)).decision;
        },
        harm: (said) => (said === "allow" ? "it runs unasked" : undefined),
      }),
    ),
};
