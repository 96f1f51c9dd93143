import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NODE_ON_SOURCES, runStep } from "./run-step.ts";
import { findSnippets } from "./snippets.ts";

/**
 * Executes every numbered example and every TypeScript snippet of the pages a user reads, against the simulator: on the sources, or
 * with `--built` on the packages as they were built, as a user imports them. `--examples-on NODE`: examples by another Node.
 */
const PAGES = ["README.md", "{packages,adapters}/*/README.md", "docs/**/*.md", "examples/README.md"];

const { values } = parseArgs({ options: { built: { type: "boolean" }, "examples-on": { type: "string" } } });
const options = values.built ? [] : NODE_ON_SOURCES;
const nodeOfExamples = values["examples-on"] ?? process.execPath;
const examples = globSync("examples/[0-9]*.ts").sort();
const snippets = globSync(PAGES)
  .sort()
  .flatMap((file) => findSnippets(file, readFileSync(file, "utf8")));
// Inside examples, so that imports resolve as they do for a user who installed the packages.
const folder = mkdtempSync(join("examples", ".snippets-"));
let failures = 0;
try {
  for (const file of examples) {
    if (runStep(file, nodeOfExamples, [...options, file]) === "failed") failures++;
  }
  for (const [index, { file, line, code }] of snippets.entries()) {
    const path = join(folder, `${index}.ts`);
    writeFileSync(path, code);
    if (runStep(`snippet ${file}:${line}`, process.execPath, [...options, path]) === "failed") failures++;
  }
} finally {
  rmSync(folder, { recursive: true });
}
const total = examples.length + snippets.length;
console.log(`\nexamples and snippets: ${total - failures} passed, ${failures} failed`);
process.exitCode = failures === 0 && total > 0 ? 0 : 1;
