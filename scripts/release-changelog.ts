/** The changelog with its unreleased changes under a version and a date, and an empty list of unreleased changes above. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const [before, changes] = changelog.split(/^## Unreleased\n/m);
  if (changes === undefined) throw new Error('CHANGELOG.md has no heading "## Unreleased".');
  const [own = ""] = changes.split(/^## /m);
  if (own.trim() === "") throw new Error("CHANGELOG.md lists no unreleased change: there is nothing to release.");
  return `${before}## Unreleased\n\n## ${version} (${date})\n${changes}`;
}
