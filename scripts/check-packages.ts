import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { checkSizes, type PackedSize } from "./check-sizes.ts";
import { PACKAGES } from "./packages.ts";

/** Our packages are ESM only: CommonJS and the resolution of before Node 12 are not promised. */
const NOT_PROMISED: readonly string[] = ["node10", "node16-cjs"];

/**
 * Judges the tarballs that users would install: what publint says of them, whether an ESM consumer gets their types, and their size. All in
 * one process, and packed once: to start both programs for each package took a minute of the gate, which also names a folder in
 * which the tarballs stay for its tests (PALIMPSEST_PACKED).
 */
const kept = process.env["PALIMPSEST_PACKED"];
const folder = kept ?? mkdtempSync(join(tmpdir(), "palimpsest-packed-"));
const complaints: string[] = [];
const limits = JSON.parse(readFileSync("scripts/package-sizes.json", "utf8")) as Readonly<Record<string, number>>;
const sizes: PackedSize[] = [];
const tarballs = packInto(folder);
for (const tarball of tarballs) {
  const bytes = new Uint8Array(readFileSync(tarball));
  const unpacked = createPackageFromTarballData(bytes);
  const found = [...(await lint(bytes)), ...(await typeProblems(unpacked))];
  const { packageName } = unpacked;
  sizes.push({ name: packageName, bytes: bytes.length });
  const size = `${Math.ceil(bytes.length / 1_000)} of at most ${limits[packageName]} kB`;
  console.log(`${found.length === 0 ? "good" : "bad"}: ${basename(tarball)}, ${size}`);
  complaints.push(...found.map((problem) => `${basename(tarball)}: ${problem}`));
}
complaints.push(...checkSizes(sizes, limits));
if (kept === undefined) rmSync(folder, { recursive: true });
if (tarballs.length !== PACKAGES.length) {
  complaints.push(`${PACKAGES.length} packages are published, but ${tarballs.length} were packed`);
}
for (const complaint of complaints) console.log(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

function packInto(target: string): readonly string[] {
  execFileSync(process.execPath, ["scripts/pack.ts", target], { stdio: ["ignore", "ignore", "inherit"] });
  return globSync(join(target, "*.tgz")).sort();
}

async function lint(tarball: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true, level: "warning" });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

async function typeProblems(unpacked: Package): Promise<readonly string[]> {
  const result = await checkPackage(unpacked);
  // The agent is a program and exports no types.
  if (result.types === false) return [];
  return result.problems
    .filter((problem) => !("resolutionKind" in problem && NOT_PROMISED.includes(problem.resolutionKind)))
    .map((problem) => `types: ${JSON.stringify(problem)}`);
}
