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

/** The packages that are published: all in packages and apps that are not private, each behind those that it depends on. */
export const PACKAGES: readonly Package[] = inOrderOfBuild(
  globSync("{packages,apps}/*/package.json")
    .sort()
    .map((file) => ({ folder: dirname(file), manifest: JSON.parse(readFileSync(file, "utf8")) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true),
);

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
