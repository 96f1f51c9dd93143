import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, PACKAGES } from "../packages.ts";
import { installed } from "../run-step.ts";
import { flattenApi, type Subpath } from "./flatten-api.ts";

/** The api.md of every published package: its public interface, from the declarations that `tsc` writes. */
export function apiReports(): Readonly<Record<string, string>> {
  // Inside the repository, so that types of dependencies are found.
  const folder = mkdtempSync("node_modules/.api-");
  try {
    const config = join(folder, "tsconfig.json");
    writeFileSync(config, JSON.stringify(tsconfig(folder)));
    execFileSync(installed("tsc"), ["-p", config, "--noCheck"], { stdio: "inherit" });
    const published = PACKAGES.filter(({ folder: one }) => !one.startsWith("apps/"));
    return Object.fromEntries(
      published.map(({ folder: one, manifest }) => [`${one}/api.md`, report(one, manifest, folder)]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All packages at once: they import each other's sources. */
function tsconfig(folder: string): object {
  const root = process.cwd();
  const compilerOptions = {
    rootDir: root,
    outDir: join(root, folder),
    noEmit: false,
    emitDeclarationOnly: true,
    typeRoots: [join(root, "node_modules/@types")],
  };
  const exclude = ["**/*.test.ts", "**/testing", "**/node_modules", "**/dist"].map((pattern) => join(root, pattern));
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    include: ["packages/*/src", "adapters/*/src"].map((pattern) => join(root, pattern)),
    exclude,
  };
}

function report(packageFolder: string, { name, exports = {} }: Manifest, declarations: string): string {
  const subpaths = Object.entries(exports).flatMap(([subpath, target]) =>
    toSubpath(packageFolder, name, subpath, target),
  );
  const head = `# The public interface of ${name}\n\nWritten by \`npm run generate\` from the sources; do not edit it here. `;
  const why = "A change of this file is a change for users: docs/versioning.md says which version it needs.";
  return `${head}${why}\n\n${flattenApi(subpaths, (file) => readFileSync(join(declarations, file), "utf8"))}`;
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
