import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadSettings, openInstructions } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground, SECRET } from "./playground.ts";

/** Rules that deny reading, and a file of the project that each of them means. PROJECT is its folder. */
const DENIED: readonly [pattern: string, file: string][] = [
  ["./secret.txt", "secret.txt"],
  ["secrets/**", "secrets/a.txt"],
  ["vault", "vault/a.txt"],
  ["keys/", "keys/a.txt"],
  ["*.pem", "cert.pem"],
  ["config/[prod].json", "config/[prod].json"],
  ["a{b}.txt", "a{b}.txt"],
  ["!x.txt", "!x.txt"],
  [".env", "deep/sub/.env"],
  [".env.*", ".env.local"],
  ["deep/**/key.txt", "deep/er/key.txt"],
  ["with space.txt", "with space.txt"],
  ["what?.txt", "what?.txt"],
  ["PROJECT/absolute.txt", "absolute.txt"],
  ["dir.d/*", "dir.d/x"],
  ["**/any.txt", "some/where/any.txt"],
  ["sub/../dots.txt", "dots.txt"],
];

const COMMANDS: readonly [name: string, line: string][] = [
  ["cat", "cat 'FILE'"],
  ["cat by the whole path", 'cat "$PWD/FILE"'],
  ["grep", "grep -rh CANARY ."],
  ["a copy", "cp 'FILE' stolen; cat stolen"],
  ["a link", 'ln -s "$PWD/FILE" l; cat l; rm l'],
  ["a hard link", "ln 'FILE' h; cat h; rm -f h"],
  ["python", "python3 - 'FILE' <<< 'import sys;print(open(sys.argv[1]).read())'"],
  ["a folder that is moved", "mv \"$(dirname 'FILE')\" m; cat m/\"$(basename 'FILE')\"; mv m \"$(dirname 'FILE')\""],
  ["tar", "tar cf - . | strings"],
];

/** What a rule keeps from being read, no search, no command and no import of instructions reads either. */
export const deniedReads: Family<Playground> = {
  name: "denied files",
  guard: "hidden files",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) =>
    inPlayground(act, {
      async prepare({ folder, agentHome }) {
        for (const [, file] of DENIED) {
          await mkdir(dirname(join(folder, file)), { recursive: true });
          await writeFile(join(folder, file), `${SECRET} ${file}\n`);
        }
        const deny = DENIED.map(([pattern]) => `Read(${pattern.replace("PROJECT", folder)})`);
        await writeFile(join(agentHome, "settings.json"), JSON.stringify({ permissions: { deny } }));
      },
    }),
  attacks: (playground) => {
    const { use, command } = playground;
    return DENIED.flatMap(([pattern, file]) => [
      ...COMMANDS.map(
        ([name, line]): Attack => ({
          name: `Read(${pattern}): ${name}`,
          run: () => command(line.replaceAll("FILE", file)),
        }),
      ),
      {
        name: `Read(${pattern}): Grep`,
        run: () => use("Grep", { pattern: `CANARY.*`, output_mode: "lines" }),
      },
      {
        name: `Read(${pattern}): Grep in it`,
        run: () => use("Grep", { pattern: `CANARY.*`, path: file, output_mode: "lines" }),
      },
      { name: `Read(${pattern}): an import`, run: () => importing(file, playground) },
    ]);
  },
};

async function importing(file: string, { folder, guard, home, agentHome }: Playground): Promise<string> {
  await writeFile(join(folder, "AGENTS.md"), `Read @./${file.replaceAll(" ", "\\ ")} first.`);
  const { settings } = await loadSettings({ guard, agentHome });
  const instructions = await openInstructions({ guard, home, agentHome, rules: settings.rules });
  return ((await instructions.text()) ?? []).map(({ text }) => text).join("\n");
}
