/**
 * Writes packages/NAME/api.md of every published package: its public interface, from what `tsc` makes of the sources. With
 * `--check` it only says which pages are stale.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flattenApi, type Subpath } from "./api/flatten-api.ts";
import { type Manifest, PACKAGES } from "./packages.ts";
import { installed, runStep } from "./run-step.ts";

// Inside the repository, so that types of dependencies are found.
const folder = mkdtempSync("node_modules/.api-");
try {
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify(tsconfig()));
  if (runStep("declarations", installed("tsc"), ["-p", config, "--noCheck"]) === "failed") process.exitCode = 1;
  else for (const { folder, manifest } of PACKAGES) if (folder.startsWith("packages/")) writeReport(folder, manifest);
} finally {
  rmSync(folder, { recursive: true });
}

/** All packages at once: they import each other's sources. */
function tsconfig(): object {
  const root = process.cwd();
  const compilerOptions = {
    rootDir: root,
    outDir: join(root, folder),
    noEmit: false,
    emitDeclarationOnly: true,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const exclude = ["**/*.test.ts", "**/testing", "**/node_modules", "**/dist"].map((pattern) => join(root, pattern));
  return { extends: join(root, "tsconfig.json"), compilerOptions, include: [join(root, "packages/*/src")], exclude };
}

function writeReport(packageFolder: string, { name, exports = {} }: Manifest): void {
  const page = `${packageFolder}/api.md`;
  const subpaths = Object.entries(exports).flatMap(([subpath, target]) =>
    toSubpath(packageFolder, name, subpath, target),
  );
  const head = `# The public interface of ${name}\n\nWritten by \`npm run api\` from the sources; do not edit it here. `;
  const why = "A change of this file is a change for users: docs/versioning.md says which version it needs.";
  const text = `${head}${why}\n\n${flattenApi(subpaths, (file) => readFileSync(join(folder, file), "utf8"))}`;
  if (!process.argv.includes("--check")) {
    writeFileSync(page, text);
  } else if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
    console.error(`${page} is not what the sources export: run npm run api, and look at what has changed`);
    process.exitCode = 1;
  }
}

function toSubpath(
  packageFolder: string,
  name: string,
  subpath: string,
  target: string | Readonly<Record<string, string>>,
): readonly Subpath[] {
  const source = typeof target === "string" ? undefined : target["palimpsest-source"];
  if (source === undefined) return [];
  return [{ name: name + subpath.slice(1), file: join(packageFolder, source).replace(/\.ts$/, ".d.ts") }];
}
