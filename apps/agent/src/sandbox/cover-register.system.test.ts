import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encloseProject } from "../testing/enclose.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { openCoverRegister } from "./cover-register.ts";
import type { RunningCommand } from "./start-command.ts";

const EVIL = "mkdir -p .vscode; echo evil > .vscode/tasks.json; echo evil > .envrc";

async function ended({ output, ended: end }: RunningCommand) {
  let text = "";
  for await (const piece of output) text += piece;
  return { text, ...(await end) };
}

test("two sessions in one project: the end of a command of one uncovers nothing for a command of the other", async () => {
  const project = temporaryProject({ "a.txt": "" }, "/var/tmp");
  const one = await encloseProject(project, { sandboxFolder: "one" });
  const other = await encloseProject(project, { sandboxFolder: "other" });
  const first = await one.start(`echo begun; until test -e go; do sleep 0.1; done; ${EVIL}`);
  const reading = first.output[Symbol.asyncIterator]();
  await reading.next();
  // The second session finds the covers of the first, takes them for what they are, and leaves them when it ends.
  const second = await other.run(`ls .github; ${EVIL}`);
  expect(second).toMatchObject({ notes: [], text: expect.stringMatching(/^(?!ls).*Read-only/s) });
  const third = await other.start("echo begun; until test -e stop; do sleep 0.1; done; mkdir .idea && echo MADE");
  const readingThird = third.output[Symbol.asyncIterator]();
  await readingThird.next();
  project.put("go", "");
  for (let next = await reading.next(); next.done !== true; next = await reading.next());
  expect(await first.ended).toMatchObject({ notes: [] });
  // The first has ended; what it had made is kept for the other.
  expect(existsSync(join(project.folder, ".vscode"))).toBe(true);
  expect(await one.run(EVIL)).toMatchObject({ notes: [] });
  project.put("stop", "");
  let text = "";
  for (let next = await readingThird.next(); next.done !== true; next = await readingThird.next()) text += next.value;
  expect(await third.ended).toMatchObject({ notes: [] });
  expect(text).not.toContain("MADE");
  expect(readdirSync(project.folder).sort()).toEqual(["a.txt", "go", "stop"]);
});

test("covers of a session that was killed are removed by the next one, unless the user uses them", async () => {
  const project = temporaryProject({ "a.txt": "" }, "/var/tmp");
  const file = join(project.home, ".palimpsest/covers.sqlite");
  const dead = openCoverRegister(file, [project.folder], {
    host: "h",
    clock: { now: () => 0 },
    processes: { self: { pid: 1 }, find: () => ({ kind: "absent" }), ticksMs: () => 0 },
  });
  dead.hold();
  for (const name of [".idea", ".vscode"]) {
    dead.add([{ path: join(project.folder, name), as: "folder" }]);
    mkdirSync(join(project.folder, name));
  }
  writeFileSync(join(project.folder, ".vscode/settings.json"), "{}");
  const { run } = await encloseProject(project);
  expect((await run("ls -A .vscode")).text).toBe("settings.json\n");
  expect(readdirSync(project.folder).sort()).toEqual([".vscode", "a.txt"]);
});

test("programs that begin together share one look at the project", async () => {
  const project = temporaryProject({ "a.txt": "" }, "/var/tmp");
  const { start } = await encloseProject(project);
  const ends = await Promise.all(Array.from({ length: 4 }, () => start("cat a.txt && echo fine").then(ended)));
  expect(ends.map(({ text }) => text)).toEqual(Array(4).fill("fine\n"));
  expect(readdirSync(project.folder)).toEqual(["a.txt"]);
});
