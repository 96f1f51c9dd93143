import { relative } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";

/** The seed of all random cases of this run: `run-folder.ts` derives it from the sources, or takes PALIMPSEST_SEED. */
const seed = Number(process.env["PALIMPSEST_SEED"]);

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed,
  reporter(details) {
    if (!details.failed) return;
    const { testPath = "FILE", currentTestName = "" } = expect.getState();
    // vitest takes a regular expression.
    const name = currentTestName.replaceAll(/[^\w >-]/g, ".");
    const test = `${relative(process.cwd(), testPath)} -t "${name}"`;
    throw new Error(
      `${fc.defaultReportMessage(details)}\n\nTo repeat: PALIMPSEST_SEED=${seed} npx vitest run ${test}`,
      {
        cause: details.errorInstance,
      },
    );
  },
});
