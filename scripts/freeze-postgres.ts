/**
 * Keeps the store of @palimpsest/postgres as it is now, in one file with all that it needs: run it with each release.
 * `two-versions.test.ts` runs the kept release and the sources side by side on one database.
 */
import { writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { rolldown } from "rolldown";

const FILE = "packages/postgres/src/testing/older-release.mjs";

const build = await rolldown({
  input: "packages/postgres/src/testing/released-parts.ts",
  external: (id) => isBuiltin(id),
  platform: "node",
  resolve: { conditionNames: ["palimpsest-source"] },
  treeshake: { moduleSideEffects: false },
});
const { output } = await build.generate({ codeSplitting: false });
const [{ code }] = output;
writeFileSync(FILE, `// The release before, built by scripts/freeze-postgres.ts. Never edited.\n${code}`);
