import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

export type CreatedProject =
  | { readonly kind: "created"; readonly folder: string }
  | { readonly kind: "refused"; readonly why: string };

const TEMPLATE = new URL("../template/", import.meta.url);

/** Writes the template to a new or empty folder. Its packages get the version of this one: all of ours are released together. */
export function createProject(target: string): CreatedProject {
  const folder = resolve(target);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    return { kind: "refused", why: `${folder} is not empty. Choose another folder: npm create palimpsest FOLDER` };
  }
  cpSync(TEMPLATE, folder, { recursive: true });
  // npm leaves a .gitignore out of packages.
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore"));
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  const manifest = join(folder, "package.json");
  const text = readFileSync(manifest, "utf8");
  writeFileSync(manifest, text.replaceAll("VERSION", version).replace("NAME", packageName(folder)));
  return { kind: "created", folder };
}

/** The folder's name with only the characters that npm takes. */
function packageName(folder: string): string {
  return (
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .replaceAll(/^-+|-+$/g, "") || "my-agent"
  );
}
