/** Builds the documentation site into site/dist: node scripts/site/build-site.ts. Needs the network once, to install what builds it. */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installPackages } from "../../lab/src/load-peers.ts";
import { sidebarOf, type TitledPage } from "./sidebar.ts";
import { pageOf, sitePage } from "./site-pages.ts";

const ROOT = join(import.meta.dirname, "../..");
const SITE = join(ROOT, "site");
const PAGES = join(SITE, "pages");

installPackages({ folder: new URL("../../site/", import.meta.url), what: "VitePress and TypeDoc", size: "150 MB" });
rmSync(PAGES, { recursive: true, force: true });
for (const path of globSync(["*.md", "docs/**/*.md", "{packages,adapters,apps}/*/README.md"], { cwd: ROOT })) {
  const page = pageOf(path);
  if (page === undefined) continue;
  mkdirSync(join(PAGES, dirname(page)), { recursive: true });
  const markdown = readFileSync(join(ROOT, path), "utf8");
  const isFolder = (target: string): boolean =>
    statSync(join(ROOT, target), { throwIfNoEntry: false })?.isDirectory() ?? false;
  writeFileSync(join(PAGES, page), sitePage(path, markdown, isFolder));
}
cpSync(join(ROOT, "docs/pictures"), join(PAGES, "pictures"), { recursive: true });
run("api-pages.ts", join(PAGES, "api"));
for (const file of globSync(join(PAGES, "api/**/*.md"))) {
  // Pages of the site hold no HTML: anchors of single properties are left out.
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/<a id="[^"]*"><\/a> ?/g, ""));
}
writeFileSync(join(PAGES, "sidebar.json"), JSON.stringify(sidebarOf(titledPages())));
run("node_modules/vitepress/bin/vitepress.js", "build");
console.log(`The site is in site/dist: ${globSync("**/*.html", { cwd: join(SITE, "dist") }).length} pages.`);

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { cwd: SITE, stdio: "inherit" });
  // The program has said what is wrong.
  if (status !== 0) process.exit(1);
}

function titledPages(): readonly TitledPage[] {
  return globSync("**/*.md", { cwd: PAGES })
    .sort()
    .map((page) => {
      const title = /^# (.+)$/m.exec(readFileSync(join(PAGES, page), "utf8"))?.[1];
      if (title === undefined) throw new Error(`${page} has no heading.`);
      return { page, title: title.replaceAll(/[`\\]/g, "") };
    });
}
