import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHere } from "../testing/run-here.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

function startHere(values?: string, environment: Readonly<Record<string, string>> = {}) {
  const { folder, home } = temporaryProject();
  const file = join(home, ".palimpsest", "engine.json");
  mkdirSync(join(home, ".palimpsest"), { mode: 0o700 });
  if (values !== undefined) writeFileSync(file, values);
  const here = createHere({ folder, environment: { HOME: home, ...environment }, clock: { now: Date.now } });
  return { run: (...args: string[]) => here.run(["config", ...args]), file };
}

test("shows the profile, and the source of each value that is not the default", async () => {
  const { run } = startHere('{"compaction":"ask"}', { PALIMPSEST_COMPACT_AT: "60" });
  const { out } = await run();
  expect(out).toMatch(/^Profile balanced\. /);
  expect(out).toMatch(/compaction +ask +engine\.json/);
  expect(out).toMatch(/compactAt +60 +environment variable/);
});

test("chooses a profile by name, and keeps the other settings in the file", async () => {
  const { run, file } = startHere('{"compaction":"ask"}');
  const { out } = await run("economy", "--json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ compaction: "ask", profile: "economy" });
  const { profile, changed } = JSON.parse(out);
  expect(profile).toBe("economy");
  expect(changed).toContainEqual({ name: "compaction", value: "ask", from: "engine.json" });
});

test("reports an overriding source and invalid JSON, and overwrites nothing", async () => {
  const stronger = startHere(undefined, { PALIMPSEST_PROFILE: "quality" });
  expect((await stronger.run("economy")).said).toBe(
    "The profile is still quality: it is set by environment variable, which overrides your choice.",
  );
  const broken = startHere("{");
  await expect(broken.run("economy")).rejects.toThrow("is not a JSON object");
  expect(readFileSync(broken.file, "utf8")).toBe("{");
});
