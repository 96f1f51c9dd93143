import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { encloseProject } from "../testing/enclose.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

describe("an enclosed command in a repository", () => {
  /** As the user would run it: with the settings of whatever repository it finds. */
  const git = (folder: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@x", ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: "pipe",
      env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
    });

  function newProject() {
    // Not in /tmp, of which enclosed commands have their own.
    const project = temporaryProject({ "a.txt": "one\n" }, "/var/tmp");
    const { base } = project;
    const marker = join(base, "canary");
    const evil = (): string => `[core]\n\tfsmonitor = "touch ${marker}; false"\n\tbare = false\n`;
    /** Whether the user's own git, run now, would run what a command has written. */
    const isTaken = (folder: string): boolean => {
      try {
        git(folder, "status");
        git(folder, "commit", "--allow-empty", "-qm", "by the user");
      } catch {
        // A repository that is broken is a nuisance, and nothing else.
      }
      return existsSync(marker);
    };
    return { ...project, evil, isTaken };
  }

  async function enclosed(folder: string, { base, home }: { readonly base: string; readonly home: string }) {
    return (await encloseProject({ folder, base, home })).run;
  }

  const COMMIT = "git add -A && git -c user.name=m -c user.email=m@x commit -qm";

  test("commits, and the user's git finds it", async () => {
    const project = newProject();
    const { folder } = project;
    git(folder, "init", "-q", "-b", "main");
    const run = await enclosed(folder, project);
    expect(await run(`${COMMIT} first && git checkout -qb side && echo two > a.txt && ${COMMIT} second`)).toMatchObject(
      {
        exitCode: 0,
        by: "itself",
      },
    );
    expect(git(folder, "log", "--format=%s", "side")).toBe("second\nfirst\n");
    expect((await run("git config user.name x")).exitCode).not.toBe(0);
  });

  test("leads the user's git nowhere", async () => {
    const project = newProject();
    const { folder, evil, isTaken, put } = project;
    git(folder, "init", "-q", "-b", "main");
    git(folder, "config", "extensions.worktreeConfig", "true");
    git(folder, "commit", "--allow-empty", "-qm", "first");
    git(folder, "worktree", "add", "-q", join(project.base, "other"));
    put("evil/config", evil());
    const run = await enclosed(folder, project);
    const hook = `printf '#!/bin/sh\\ntouch ${project.base}/canary\\n'`;
    const attacks = [
      `${hook} > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
      "cat evil/config >> .git/config",
      "git config core.fsmonitor 'touch x; false'",
      "cat evil/config > .git/config.worktree",
      "mv .git/config .git/config.old; cp evil/config .git/config",
      "rm -f .git/config; ln -s ../evil/config .git/config",
      "mv .git gone; cp -r gone .git; cat evil/config > .git/config",
      "cp -r .git/objects .git/refs evil/; echo ../evil > .git/commondir; sleep 5",
      "cp -r .git/objects .git/refs evil/; (sleep 0.2; echo ../evil > .git/commondir) & sleep 5",
      "for i in 1 2 3 4 5 6 7 8 9; do echo ../evil > .git/commondir; done",
      "mkdir .git/commondir",
      "echo ../../../evil > .git/worktrees/other/commondir; cat evil/config > .git/worktrees/other/config.worktree",
      "mv .git/worktrees .git/w; mkdir -p .git/worktrees/other; echo ../../../evil > .git/worktrees/other/commondir",
    ];
    for (const attack of attacks) {
      await run(attack);
      expect({ attack, taken: isTaken(folder) || isTaken(join(project.base, "other")) }).toEqual({
        attack,
        taken: false,
      });
    }
    expect(git(folder, "status", "--short")).not.toContain("fatal");
    // The same, done by somebody who may: an attack that could not succeed anyway proves nothing.
    writeFileSync(join(folder, ".git/commondir"), "../evil\n");
    expect(isTaken(folder)).toBe(true);
  });

  test("in a worktree commits, and changes neither what leads to the repository nor what others share", async () => {
    const project = newProject();
    const { base, evil, isTaken } = project;
    const main = join(base, "main");
    mkdirSync(main);
    git(main, "init", "-q", "-b", "main");
    git(main, "commit", "--allow-empty", "-qm", "first");
    const folder = join(base, "tree");
    git(main, "worktree", "add", "-q", folder);
    writeFileSync(join(base, "evil"), evil());
    const run = await enclosed(folder, project);
    expect(await run(`echo x > a.txt; ${COMMIT} second`)).toMatchObject({ exitCode: 0 });
    expect(git(main, "log", "--format=%s", "tree")).toBe("second\nfirst\n");
    const own = join(main, ".git/worktrees/tree");
    const before = ["commondir", "gitdir"].map((name) => readFileSync(join(own, name), "utf8"));
    for (const path of [
      `${main}/.git/config`,
      `${main}/.git/hooks/pre-commit`,
      `${own}/commondir`,
      `${own}/gitdir`,
      ".git",
    ])
      await run(`cat ${base}/evil > ${path}; chmod +x ${path}; rm -f ${path}; cp ${base}/evil ${path}`);
    await run(`cat ${base}/evil > ${own}/config.worktree; mv ${own} ${own}2; touch ${main}/x`);
    expect(["commondir", "gitdir"].map((name) => readFileSync(join(own, name), "utf8"))).toEqual(before);
    expect(isTaken(folder) || isTaken(main) || existsSync(join(main, "x"))).toBe(false);
  });

  test("writes to no repository that only a file in the project points at", async () => {
    const project = newProject();
    const { base, folder } = project;
    const main = join(base, "main");
    mkdirSync(main);
    git(main, "init", "-q", "-b", "main");
    git(main, "commit", "--allow-empty", "-qm", "first");
    git(main, "worktree", "add", "-q", join(base, "tree"));
    writeFileSync(join(folder, ".git"), readFileSync(join(base, "tree/.git")));
    const run = await enclosed(folder, project);
    await run(`${COMMIT} stolen; echo x > ${main}/.git/refs/heads/x; touch ${main}/.git/worktrees/tree/x`);
    expect(git(main, "log", "--all", "--format=%s")).toBe("first\n");
    for (const path of [".git/refs/heads/x", ".git/worktrees/tree/x"]) expect(existsSync(join(main, path))).toBe(false);
  });

  test.each([".git", ".palimpsest", ".git/hooks"])(
    "neither reads nor writes what %s as a link leads to",
    async (name) => {
      const project = newProject();
      const { base, folder, home } = project;
      mkdirSync(join(home, ".ssh"));
      writeFileSync(join(home, ".ssh/id"), "SECRET");
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      symlinkSync(join(home, ".ssh"), join(folder, name));
      const run = await enclosed(folder, project);
      const { text } = await run(
        `cat ${home}/.ssh/id ${name}/id; echo x > ${home}/.ssh/x; echo x > ${name}/y; ls ${base}`,
      );
      expect(text).not.toContain("SECRET");
      expect(["x", "y"].some((file) => existsSync(join(home, ".ssh", file)))).toBe(false);
    },
  );

  test("leaves hooks alone that lie in the project, and repositories in its folders", async () => {
    const project = newProject();
    const { folder, put, isTaken, evil } = project;
    git(folder, "init", "-q", "-b", "main");
    git(folder, "config", "core.hooksPath", ".husky/_");
    put(".husky/_/h", "");
    mkdirSync(join(folder, "deep/inner"), { recursive: true });
    git(join(folder, "deep/inner"), "init", "-q", "-b", "main");
    put("evil", evil());
    const run = await enclosed(folder, project);
    const hook = `printf '#!/bin/sh\\ntouch ${project.base}/canary\\n'`;
    for (const attack of [
      `${hook} > .husky/_/pre-commit; chmod +x .husky/_/pre-commit`,
      `mv .husky old; mkdir -p .husky/_; ${hook} > .husky/_/pre-commit; chmod +x .husky/_/pre-commit`,
      "cat evil >> deep/inner/.git/config",
      "mv deep/inner deep/old; mkdir -p deep/inner; git init -q deep/inner; cat evil >> deep/inner/.git/config",
      "mv deep old; mkdir -p deep/inner; git init -q deep/inner; cat evil >> deep/inner/.git/config",
    ]) {
      await run(attack);
      expect({ attack, taken: isTaken(folder) || isTaken(join(folder, "deep/inner")) }).toEqual({
        attack,
        taken: false,
      });
    }
    expect(await run(`cd deep/inner && echo x > y && ${COMMIT} inner`)).toMatchObject({ exitCode: 0 });
  });
});
