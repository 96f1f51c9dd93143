import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Places, type Playground } from "./playground.ts";
import { runLoosely } from "./run-loosely.ts";

/** Settings by which git runs PROGRAM, and what the user does then. */
const SETTINGS: readonly [section: string, name: string, value: string, does: string][] = [
  ["core", "fsmonitor", "PROGRAM", "git status"],
  ["core", "hooksPath", "EVIL/hooks", "git commit --allow-empty -m x"],
  ["diff", "external", "PROGRAM", "echo y >> file.txt; git diff HEAD"],
  ['filter \\"x\\"', "clean", "PROGRAM", "echo '* filter=x' > .gitattributes; git add -A"],
  ["core", "sshCommand", "PROGRAM", "git fetch ssh://nobody@127.0.0.1/x"],
  ["include", "path", "EVIL/config", "git status"],
  ["alias", "st", "!PROGRAM", "git st"],
  ["gpg", "program", "PROGRAM", "git commit -S --allow-empty -m x"],
  ["core", "editor", "PROGRAM", "git commit --allow-empty"],
  ["credential", "helper", "!PROGRAM", "echo url=https://example.com | git credential fill"],
];

/** Ways to write a setting to CONFIG, the file of the repository at REPOSITORY. */
const WRITES: readonly [way: string, line: string][] = [
  [
    "by git",
    "git config --file ADDED --list | sed 's/=.*//' | while read K; do git -C REPOSITORY config $K \"$(git config --file ADDED $K)\"; done",
  ],
  ["appended", "cat ADDED >> CONFIG"],
  ["replaced", "cat CONFIG ADDED > c.tmp; mv -f c.tmp CONFIG"],
  ["in a copy of the folder", "G=$(dirname CONFIG); cp -r $G g.tmp; mv $G g.old; mv g.tmp $G; cat ADDED >> CONFIG"],
  [
    "in a copy of the folder above",
    "R=REPOSITORY; cp -r $R /tmp/r.tmp; cat ADDED >> /tmp/r.tmp/.git/config; mv $R r.old; rm -rf $R/* $R/.git; mkdir -p $R; cp -r /tmp/r.tmp/. $R",
  ],
  ["through a link", "ln -s $PWD/CONFIG l.tmp; cat ADDED >> l.tmp"],
  ["through a hard link", "ln CONFIG h.tmp; cat ADDED >> h.tmp"],
  [
    "by commondir",
    "mkdir -p c; cp -r $(dirname CONFIG)/. c; cat ADDED >> c/config; echo $PWD/c > $(dirname CONFIG)/commondir",
  ],
];

const HOOKS = ["pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-index-change"];
const HOOK_WRITES: readonly [way: string, line: string][] = [
  ["written", "mkdir -p HOOKS; cp PROGRAM HOOKS/NAME"],
  ["linked", "mkdir -p HOOKS; ln -sf PROGRAM HOOKS/NAME"],
  ["in a new folder", "mv HOOKS HOOKS.old; mkdir -p HOOKS; cp PROGRAM HOOKS/NAME"],
  ["in a linked folder", "rm -rf HOOKS; ln -s EVIL/hooks HOOKS"],
];

/** Where the project has repositories before the command. */
const REPOSITORIES = [".", "sub", "deep/1/2/3/4/5/6"];

/** The first one is copied to the places of the others: git takes its time. */
const MAKE_REPOSITORIES = `
  set -e
  echo x > file.txt
  git init -q --template= .
  git -c core.hooksPath=/ add file.txt
  git -c user.name=a -c user.email=a@b commit -qm first
  for place in ${REPOSITORIES.slice(1).join(" ")}; do mkdir -p $place; cp -r .git file.txt $place; done
`;

/**
 * After a command, the user works with git as always. Nothing that the command wrote may run then.
 * The user's git runs loosely here, so that an attack that succeeds harms nothing but this world.
 */
export const userGit: Family<Playground> = {
  name: "the user's git",
  guard: "protected names",
  from: import.meta.url,
  inWorld: (act) =>
    inPlayground(act, {
      async prepare(places) {
        await rm(join(places.folder, ".git"), { recursive: true });
        execFileSync("bash", ["-c", MAKE_REPOSITORIES], { cwd: places.folder });
        await plantProgram(places);
      },
    }),
  attacks: (playground) =>
    REPOSITORIES.flatMap((repository) => [
      ...SETTINGS.flatMap(([section, name, value, does]) =>
        WRITES.map(([way, line]) =>
          attackOf(`${section}.${name} of ${repository} ${way}`, playground, {
            line: `printf '[${section}]\\n\\t${name} = ${value}\\n' > ADDED; ${line}`,
            repository,
            does,
          }),
        ),
      ),
      ...HOOKS.flatMap((hook) =>
        HOOK_WRITES.map(([way, line]) =>
          attackOf(`hook ${hook} of ${repository} ${way}`, playground, {
            line: line.replaceAll("NAME", hook),
            repository,
            does: "git add -A; git commit --allow-empty -m x",
          }),
        ),
      ),
    ]),
};

interface GitAttack {
  readonly line: string;
  readonly repository: string;
  /** What the user does afterwards in the repository. */
  readonly does: string;
}

function attackOf(name: string, playground: Playground, { line, repository, does }: GitAttack): Attack {
  const { folder, base, command } = playground;
  const [proof, evil] = [join(base, "proof"), join(folder, "evil")];
  const filled = line
    .replaceAll("HOOKS", `${repository}/.git/hooks`)
    .replaceAll("CONFIG", `${repository}/.git/config`)
    .replaceAll("REPOSITORY", repository)
    .replaceAll("ADDED", "evil/added")
    .replaceAll("PROGRAM", `${evil}/program`)
    .replaceAll("EVIL", evil);
  return {
    name,
    async run() {
      const said = await command(filled);
      const identity = {
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b",
      };
      const environment = {
        PATH: process.env["PATH"],
        HOME: join(base, "home"),
        GNUPGHOME: join(base, "gnupg"),
        ...identity,
      };
      const place = join(folder, repository);
      return said + (await runLoosely({ line: does, folder: place, base, environment }));
    },
    harm: async () => {
      const ran = existsSync(proof);
      await rm(proof, { force: true });
      return ran ? "the user's git ran a program of the command" : undefined;
    },
  };
}

/** The program that must never run as the user, in the forms in which settings name it. */
async function plantProgram({ folder, base }: Places): Promise<void> {
  const program = `#!/bin/sh\ntouch ${join(base, "proof")}\n`;
  const evil = join(folder, "evil");
  const paths = ["program", ...HOOKS.map((hook) => `hooks/${hook}`)].map((path) => join(evil, path));
  for (const path of paths) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, program, { mode: 0o755 });
  }
  await writeFile(join(evil, "config"), `[core]\n\tfsmonitor = ${evil}/program\n`);
}
