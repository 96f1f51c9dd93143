import {
  appendFileSync,
  chmodSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type TemporaryProject, temporaryProject } from "../../testing/temporary-project.ts";
import { createPathGuard } from "../../workspace/path-guard.ts";
import { createCheckpoints } from "./checkpoints.ts";

async function setUp(project: TemporaryProject) {
  const guard = await createPathGuard(project.folder);
  const sessionFolder = join(project.home, "session");
  const checkpoints = createCheckpoints({ sessionFolder, guard });
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : undefined);
  /** Changes a file as the tools do. */
  async function change(name: string, entry: number, content: string) {
    const path = join(project.folder, name);
    await checkpoints.keepBefore({ path, entry, before: read(path), after: Buffer.from(content) });
    writeFileSync(path, content);
  }
  return { ...project, ...checkpoints, sessionFolder, change };
}

test("restores files to a point in the conversation, and forward again", async () => {
  const { change, rewindFiles, text, folder } = await setUp(temporaryProject({ "a.txt": "0" }));
  await change("a.txt", 10, "1");
  await change("a.txt", 20, "2");
  await change("b.txt", 30, "new");
  expect(await rewindFiles(20, 40)).toEqual({ restored: [], removed: [join(folder, "b.txt")], changedByOthers: [] });
  expect(await rewindFiles(15, 41)).toMatchObject({ restored: [join(folder, "a.txt")] });
  expect(text("a.txt")).toBe("1");
  expect(await rewindFiles(5, 42)).toMatchObject({ restored: [join(folder, "a.txt")] });
  expect(text("a.txt")).toBe("0");
  expect(await rewindFiles(40, 43)).toMatchObject({ restored: [join(folder, "a.txt")], removed: [] });
  expect(text("a.txt")).toBe("2");
});

test("reports files that another program changed, without overwriting them", async () => {
  const { change, rewindFiles, text, put, folder } = await setUp(temporaryProject({ "a.txt": "0", "b.txt": "0" }));
  await change("a.txt", 10, "1");
  await change("b.txt", 10, "1");
  put("a.txt", "mine");
  expect(await rewindFiles(5, 20)).toEqual({
    restored: [join(folder, "b.txt")],
    removed: [],
    changedByOthers: [join(folder, "a.txt")],
  });
  expect([text("a.txt"), text("b.txt")]).toEqual(["mine", "0"]);
});

test("ignores a change that never happened after a crash, and a torn line", async () => {
  const { keepBefore, change, rewindFiles, folder, text, sessionFolder } = await setUp(
    temporaryProject({ "a.txt": "0" }),
  );
  await keepBefore({ path: join(folder, "a.txt"), entry: 10, before: Buffer.from("0"), after: Buffer.from("1") });
  expect(await rewindFiles(5, 11)).toEqual({ restored: [], removed: [], changedByOthers: [] });
  appendFileSync(join(sessionFolder, "file-history/changes.jsonl"), '{"entry": 12, "pa');
  await change("a.txt", 20, "2");
  expect(await rewindFiles(5, 21)).toMatchObject({ restored: [join(folder, "a.txt")] });
  expect(text("a.txt")).toBe("0");
});

test("makes saved files readable by this user only", async () => {
  const umask = process.umask(0);
  try {
    const { change, sessionFolder } = await setUp(temporaryProject({ "a.txt": "0" }));
    await change("a.txt", 10, "1");
    const modes = globSync("**/*", { cwd: sessionFolder }).map(
      (path) => statSync(join(sessionFolder, path)).mode & 0o077,
    );
    expect(modes.length).toBe(4);
    expect(modes).toEqual(modes.map(() => 0));
  } finally {
    process.umask(umask);
  }
});

test("ignores paths outside the project in a manipulated list", async () => {
  const { change, rewindFiles, sessionFolder, base, text } = await setUp(temporaryProject({ "a.txt": "0" }));
  await change("a.txt", 10, "1");
  const list = join(sessionFolder, "file-history/changes.jsonl");
  writeFileSync(join(base, "secret"), "SECRET");
  const line = readFileSync(list, "utf8").replace(/"before":"[0-9a-f]+"/, '"before":"../../../../secret"');
  writeFileSync(list, line);
  expect(await rewindFiles(5, 20)).toEqual({ restored: [], removed: [], changedByOthers: [] });
  expect(text("a.txt")).toBe("1");
});

test("restores the state at the point for any changes", async () => {
  const step = fc.record({ file: fc.constantFrom("a", "b", "c"), content: fc.constantFrom("1", "2", "3") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.nat({ max: 12 }),
      fc.nat({ max: 12 }),
      async (steps, first, second) => {
        const project = await setUp(temporaryProject({ a: "0" }));
        const contents = () =>
          ["a", "b", "c"].map((name) => (existsSync(join(project.folder, name)) ? project.text(name) : null));
        const points = [contents()];
        for (const [position, { file, content }] of steps.entries()) {
          await project.change(file, position + 1, content);
          points.push(contents());
        }
        for (const [position, point] of [first, second].entries()) {
          const to = Math.min(point, steps.length);
          const { changedByOthers } = await project.rewindFiles(to, steps.length + 1 + position);
          expect(changedByOthers).toEqual([]);
          expect(contents()).toEqual(points[to]);
        }
        rmSync(project.base, { recursive: true });
      },
    ),
    { numRuns: 25 },
  );
});

test("keeps the mode of a restored file", async () => {
  const { change, rewindFiles, folder } = await setUp(temporaryProject({ "a.sh": "0" }));
  chmodSync(join(folder, "a.sh"), 0o755);
  await change("a.sh", 10, "1");
  await rewindFiles(5, 11);
  expect(statSync(join(folder, "a.sh")).mode & 0o777).toBe(0o755);
});
