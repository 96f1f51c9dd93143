/**
 * Writes every file that follows from other files: pages, schemas, the public interfaces of packages. With `--check` it writes
 * nothing and names the files that are out of date. With names (`npm run generate -- api`) it writes only those.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { gauntletPage } from "../lab/src/gauntlet/gauntlet-page.ts";
import { ladderPage } from "../lab/src/ladder/ladder-page.ts";
import { apiReports } from "./generate/api.ts";
import { cliPage } from "./generate/cli-page.ts";
import { defaultsPage } from "./generate/defaults-page.ts";
import { pluginFiles } from "./generate/plugins.ts";
import { schemas } from "./generate/schemas.ts";

/** The text of each file, by its path. */
const GENERATORS: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  defaults: defaultsPage,
  cli: cliPage,
  schemas,
  plugins: pluginFiles,
  api: apiReports,
  gauntlet: gauntletPage,
  ladder: ladderPage,
};

const args = process.argv.slice(2);
const isCheck = args.includes("--check");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const unknown = wanted.find((name) => !(name in GENERATORS));
if (unknown !== undefined) throw new Error(`"${unknown}" is not one of ${Object.keys(GENERATORS).join(", ")}`);
for (const [name, generate] of Object.entries(GENERATORS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const [path, text] of Object.entries(generate())) {
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    if (isCheck) {
      console.error(`${path} is out of date. Run npm run generate -- ${name} and look at the difference.`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      console.log(`wrote ${path}`);
    }
  }
}
