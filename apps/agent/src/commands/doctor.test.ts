import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("what is missing is said, and a project's settings hold once they are trusted", async () => {
  const settings = JSON.stringify({ permissions: { allow: ["Bash(npm test *)"] } });
  const project = temporaryProject({ ".palimpsest/settings.json": settings });
  const cli = await startCli(project, () => answer(""));
  const whole = await cli.run(["doctor"]);
  expect(whole.code).toBe(0);
  expect(whole.out).toMatch(/ok +provider: anthropic, model/);
  expect(whole.out).toContain("not trusted yet: allow Bash(npm test *)");

  const environment = { ANTHROPIC_API_KEY: "", PALIMPSEST_COMPACTION_AUTO: "sometimes" };
  const lacking = await cli.run(["doctor", "--json"], { environment });
  expect(lacking.code).toBe(1);
  const problems = JSON.parse(lacking.out).filter(({ state }: { readonly state: string }) => state === "problem");
  expect(problems.map(({ about }: { readonly about: string }) => about)).toEqual(["provider", "engine settings"]);

  expect((await cli.run(["trust"])).out).toContain("palimpsest trust --yes");
  expect((await cli.run(["trust", "--yes"])).out).toContain("Trusted as it is");
  expect((await cli.run(["doctor"])).out).toContain("mode default, 1 rules, 0 hooks");
  expect(cli.server.recorder.exchanges).toEqual([]);
}, 60_000);
