/**
 * Gives all published packages one version, and closes the changelog's list of unreleased changes: node scripts/release.ts 0.2.0.
 * With `--check VERSION` it only says whether all packages have it. `npm run pack` writes exact versions between ours.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { PACKAGES } from "./packages.ts";
import { releaseChangelog } from "./release-changelog.ts";

const version = process.argv.at(-1) ?? "";
if (!/^\d+\.\d+\.\d+$/.test(version))
  throw new Error(`"${version}" is no version. Write for example: npm run release -- 0.2.0`);
if (process.argv.includes("--check")) {
  const others = PACKAGES.filter(({ manifest }) => manifest.version !== version);
  for (const { manifest } of others) console.error(`${manifest.name} has version ${manifest.version}, not ${version}.`);
  process.exitCode = others.length === 0 ? 0 : 1;
} else {
  for (const { folder, manifest } of PACKAGES) {
    const path = `${folder}/package.json`;
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(`"version": "${manifest.version}"`, `"version": "${version}"`));
  }
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync("CHANGELOG.md", releaseChangelog(readFileSync("CHANGELOG.md", "utf8"), version, today));
  console.log(
    `${PACKAGES.length} packages have version ${version}. Next: npm install --package-lock-only, commit, git tag v${version}.`,
  );
}
