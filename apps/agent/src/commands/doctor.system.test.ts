import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("names what is missing, and uses a project's settings after they are trusted", async () => {
  const settings = JSON.stringify({ permissions: { allow: ["Bash(npm test *)"] } });
  const project = temporaryProject({ ".palimpsest/settings.json": settings });
  const cli = await startCli(project, () => answer(""));
  const whole = await cli.run(["doctor"]);
  expect(whole.code).toBe(0);
  expect(whole.out).toMatch(/ok +provider: anthropic, model/);
  expect(whole.out).toContain("not trusted yet: allow Bash(npm test *)");

  const environment = { ANTHROPIC_API_KEY: "", PALIMPSEST_COMPACTION: "sometimes" };
  const lacking = await cli.run(["doctor", "--json"], { environment });
  expect(lacking.code).toBe(1);
  const problems = JSON.parse(lacking.out).filter(({ state }: { readonly state: string }) => state === "problem");
  expect(problems.map(({ about }: { readonly about: string }) => about)).toEqual(["provider", "engine settings"]);

  expect((await cli.run(["trust"])).out).toContain("palimpsest trust --yes");
  expect((await cli.run(["trust", "--yes"])).out).toMatch(/^Trusted .*settings\.json/);
  expect((await cli.run(["doctor"])).out).toContain("mode auto, 1 rules, 0 hooks");
  expect(cli.server.recorder.exchanges).toEqual([]);
});

test("names unknown settings, with the closest known ones", async () => {
  const hooks = [{ event: "pretooluse", command: "true" }];
  const project = temporaryProject({ ".palimpsest/settings.json": JSON.stringify({ permisions: {}, hooks }) });
  mkdirSync(join(project.home, ".palimpsest"), { mode: 0o700 });
  writeFileSync(join(project.home, ".palimpsest", "engine.json"), '{"$schema":"x","compactions":"off"}');
  const cli = await startCli(project, () => answer(""));
  const { code, out } = await cli.run(["doctor"]);
  expect(code).toBe(1);
  expect(out).toContain("settings of the project: permisions: there is no such setting. Did you mean permissions?");
  expect(out).toMatch(/hooks\[0\]\.event: "pretooluse" is none of .* Did you mean PreToolUse\?/);
  expect(out).toContain('Unknown setting "compactions" in the settings file. Did you mean "compaction"?');
  // A turn prints the same problems, and runs nevertheless.
  const turn = await cli.run(["-p", "Hello"]);
  expect(turn.code).toBe(0);
  expect(turn.said).toContain("Did you mean permissions?");
});
