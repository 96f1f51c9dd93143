export type Digests = Readonly<Record<string, string>>;

/** The texts whose digest is not the expected one, each with what is wrong. */
export function differences(expected: Digests, actual: Digests): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return names.flatMap((name) => {
    const [before, now] = [expected[name], actual[name]];
    if (before === now) return [];
    if (before === undefined) return [`${name}: new`];
    return [`${name}: ${now === undefined ? "gone" : "changed"}`];
  });
}
