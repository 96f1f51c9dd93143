import { execFileSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PACKAGES, packagesOfPrograms } from "./packages.ts";
import { publishManifest } from "./publish-manifest.ts";

/**
 * Writes a tarball of every published package to a folder: node scripts/pack.ts [FOLDER]. Packs what was built (`npm run build`),
 * from a copy: the repository stays as it is. `FOLDER/programs` has those that the programs need, without the adapters: these bring their
 * frameworks, with which `npm install --global` took 543 MB.
 */
const [into = "packed"] = process.argv.slice(2);
const staging = mkdtempSync(join(tmpdir(), "palimpsest-pack-"));
try {
  const versions = new Map(PACKAGES.map(({ manifest }) => [manifest.name, manifest.version]));
  const staged = npmPack(["--dry-run", ...PACKAGES.map(({ folder }) => `./${folder}`)]).map(
    ({ name, files }, index) => {
      const { folder } = PACKAGES.find(({ manifest }) => manifest.name === name)!;
      if (!files.some(({ path }) => path.startsWith("dist/"))) {
        throw new Error(`${name} was not built. Run "npm run build" first.`);
      }
      const target = join(staging, String(index));
      for (const { path } of files) cpSync(join(folder, path), join(target, path));
      const published = publishManifest(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), versions);
      writeFileSync(join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
      return target;
    },
  );
  const programs = join(into, "programs");
  rmSync(programs, { recursive: true, force: true });
  mkdirSync(programs, { recursive: true });
  for (const { name, filename, size, unpackedSize, files } of npmPack([
    "--pack-destination",
    resolve(into),
    ...staged,
  ])) {
    const [packed, unpacked] = [size, unpackedSize].map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`);
    if (packagesOfPrograms().has(name)) linkSync(join(into, filename), join(programs, filename));
    console.log(`${join(into, filename)}: ${packed}, ${unpacked} unpacked, ${files.length} files`);
  }
} finally {
  rmSync(staging, { recursive: true });
}

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

function npmPack(args: readonly string[]): readonly Packed[] {
  const out = execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...args], {
    encoding: "utf8",
    maxBuffer: 64_000_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(out) as readonly Packed[];
}
