/** A package as it is packed. */
export interface PackedSize {
  readonly name: string;
  readonly bytes: number;
}

/** Packages whose tarball is larger than its limit, packages without a limit, and limits without a package: one line each. */
export function checkSizes(
  packed: readonly PackedSize[],
  limitsKilobytes: Readonly<Record<string, number>>,
): readonly string[] {
  const gone = Object.keys(limitsKilobytes).filter((name) => !packed.some((one) => one.name === name));
  return [
    ...packed.flatMap(({ name, bytes }) => {
      const [kilobytes, limit] = [Math.ceil(bytes / 1_000), limitsKilobytes[name]];
      if (limit === undefined) return [`${name} is ${kilobytes} kB packed and has no limit. Write one into ${TABLE}.`];
      if (kilobytes <= limit) return [];
      return [
        `${name} is ${kilobytes} kB packed, and its limit is ${limit} kB. "npm run pack" and "tar -tvzf" show its files. If what was added is worth it, raise the limit in ${TABLE}.`,
      ];
    }),
    ...gone.map((name) => `${TABLE} has a limit for ${name}, which is not published. Remove the line.`),
  ];
}

const TABLE = "scripts/package-sizes.json";
