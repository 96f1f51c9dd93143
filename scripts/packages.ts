import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

type Names = Readonly<Record<string, string>>;

/** The fields of a package.json that are read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Names>>;
  readonly bin?: Names;
  /** Files of code that the package starts as threads. They are built, and not importable. */
  readonly threads?: readonly string[];
  readonly dependencies?: Names;
  readonly peerDependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly devDependencies?: Names;
}

export interface Package {
  /** From the repository's root. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages that are published: all in packages, adapters and apps that are not private, each behind those that it depends on. */
export const PACKAGES: readonly Package[] = inOrderOfBuild(
  globSync("{packages,adapters,apps}/*/package.json")
    .sort()
    .map((file) => ({ folder: dirname(file), manifest: JSON.parse(readFileSync(file, "utf8")) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true),
);

/** The names of the packages with programs, and of those that they depend on. */
export function packagesOfPrograms(): ReadonlySet<string> {
  const found = new Set<string>();
  // Each stands behind those that it depends on: from the end, all that need a package are known before it.
  for (const { manifest } of PACKAGES.toReversed()) {
    if (manifest.bin === undefined && !found.has(manifest.name)) continue;
    for (const name of [manifest.name, ...Object.keys(manifest.dependencies ?? {})]) found.add(name);
  }
  return found;
}

function inOrderOfBuild(packages: readonly Package[]): readonly Package[] {
  const ordered = new Set<Package>();
  const visit = (one: Package, above: readonly string[]): void => {
    if (above.includes(one.manifest.name)) throw new Error(`A circle: ${[...above, one.manifest.name].join(" -> ")}`);
    for (const other of packages) {
      if (one.manifest.dependencies?.[other.manifest.name] !== undefined) visit(other, [...above, one.manifest.name]);
    }
    ordered.add(one);
  };
  for (const one of packages) visit(one, []);
  return [...ordered];
}
