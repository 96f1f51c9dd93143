/**
 * Returns a pattern that is built at its first use. For patterns with Unicode classes: V8 spends about 0.3 ms on every
 * `\p{L}` of a literal as soon as it reads the file, even in a function that is not called (`npm run -s lab -- import`).
 */
export function lazyPattern(source: string, flags: string): () => RegExp {
  let built: RegExp | undefined;
  return () => {
    built ??= new RegExp(source, flags);
    return built;
  };
}
