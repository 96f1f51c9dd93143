import { expect, test } from "vitest";
import { releaseChangelog } from "./release-changelog.ts";

const OLDER = "## 0.1.0 (2026-01-01)\n\n- Older.\n";

test("unreleased changes get a version and a date, and a new list begins", () => {
  expect(releaseChangelog(`# Changelog\n\n## Unreleased\n\n- New.\n\n${OLDER}`, "0.2.0", "2026-02-01")).toBe(
    `# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-01)\n\n- New.\n\n${OLDER}`,
  );
});

test.each([
  [`# Changelog\n\n## Unreleased\n\n${OLDER}`, "nothing to release"],
  [`# Changelog\n\n${OLDER}`, "no heading"],
])("a changelog without changes is no release", (changelog, problem) => {
  expect(() => releaseChangelog(changelog, "0.2.0", "2026-02-01")).toThrow(problem);
});
