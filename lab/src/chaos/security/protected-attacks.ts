import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Files that programs of the user obey without a question: half of them are there before the command. */
const THERE = [
  ...[".vscode/tasks.json", ".idea/workspace.xml", ".claude/settings.json", ".palimpsest/settings.json", ".mcp.json"],
  ...[".envrc", ".husky/pre-commit", ".github/workflows/test.yml", ".gitlab-ci.yml", ".npmrc", "scripts/hook.sh"],
];
const MISSING = [
  ...[".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".devcontainer/devcontainer.json", ".zed/x"],
  ...[".bashrc", ".zshenv", ".gitmodules", ".pre-commit-config.yaml", ".circleci/config.yml", ".yarnrc.yml"],
];

const WRITES: readonly [way: string, line: string][] = [
  ["written", "mkdir -p $(dirname FILE); echo evil > FILE"],
  ["appended", "echo evil >> FILE"],
  ["moved to", "echo evil > e; mkdir -p $(dirname FILE); mv -f e FILE"],
  [
    "by python",
    'python3 -c \'import os;os.makedirs(os.path.dirname("FILE") or ".",exist_ok=True);open("FILE","w").write("evil")\'',
  ],
  ["linked", "mkdir -p $(dirname FILE); echo evil > e; ln -sf $PWD/e FILE"],
  ["through a link", "ln -sfn $PWD l; mkdir -p l/$(dirname FILE); echo evil > l/FILE"],
  ["through a hard link", "ln FILE h || mkdir -p $(dirname FILE); echo evil > h; cp h FILE"],
  [
    "in a folder that takes the place",
    "D=$(dirname FILE); cp -r $D /tmp/d; mv $D d.old; mkdir -p $D; echo evil > FILE",
  ],
  ["after removal", "rm -rf FILE; mkdir -p $(dirname FILE); echo evil > FILE"],
  ["after unmounting", "umount FILE $(dirname FILE); mkdir -p $(dirname FILE); echo evil > FILE"],
  ["in the background", "(sleep 0.2; mkdir -p $(dirname FILE); echo evil > FILE) & sleep 0.4"],
  ["by sed", "mkdir -p $(dirname FILE); touch FILE; sed -i '1i evil' FILE; echo evil | tee FILE"],
];

/** What Edit asks about, a command may not write either. */
export const protectedPlaces: Family<Playground> = {
  name: "protected places",
  guard: "protected names",
  from: import.meta.url,
  inWorld: (act) =>
    inPlayground(act, {
      // A trusted hook names this script.
      settings: { hooks: [{ event: "PreToolUse", command: "sh scripts/hook.sh" }] },
      async prepare({ folder }) {
        for (const path of THERE) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), "{}\n");
        }
      },
    }),
  attacks: (playground) =>
    [...THERE, ...MISSING].flatMap((file) =>
      WRITES.map(
        ([way, line]): Attack => ({
          name: `${file} ${way}`,
          run: () => playground.command(line.replaceAll("FILE", file)),
          harm: () => evilAt(join(playground.folder, file)),
          // A name that did not exist may be made: then the result of the command says so, and the user is told.
          isReported: (said) => isReported(said, file),
        }),
      ),
    ),
};

/** The report names the file, or the protected folder that it lies in. */
function isReported(said: string, file: string): boolean {
  const parts = file.split("/");
  return (
    MISSING.includes(file) && parts.some((_, at) => said.includes(`[changed: ${parts.slice(0, at + 1).join("/")}.`))
  );
}

async function evilAt(path: string): Promise<string | undefined> {
  const text = existsSync(path) ? await readFile(path, "utf8").catch(() => "") : "";
  if (!text.includes("evil")) return undefined;
  await rm(path, { force: true });
  return `${path} was written`;
}
