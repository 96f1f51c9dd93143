type Fields = Readonly<Record<string, unknown>>;

/**
 * A package.json as it is published: each dependency on a package of ours names the version that it was built with, since they
 * are built, tested and released together; and nothing is left that only the repository needs.
 */
export function publishManifest(manifest: Fields, versions: ReadonlyMap<string, string>): Fields {
  const { devDependencies, scripts, threads, private: _, ...published } = manifest;
  const kinds = ["dependencies", "peerDependencies", "optionalDependencies"].filter((kind) => kind in published);
  const exact = (names: unknown) =>
    Object.fromEntries(
      Object.entries(names as Record<string, string>).map(([name, range]) => [name, versions.get(name) ?? range]),
    );
  return { ...published, ...Object.fromEntries(kinds.map((kind) => [kind, exact(published[kind])])) };
}
