import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Imports of values: those of types alone change nothing that runs. */
const IMPORT =
  /^(?:import|export)(?!\s+type\b)[^"';]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;
const OURS = /^(?:palimpsest|@palimpsest\/[\w-]+)(?:\/|$)/;

/** Digests of the code behind modules: of each file and of all of ours that it reaches by imports. */
export function createCodeDigest(): (modules: readonly URL[]) => string {
  const files = new Map<string, { readonly digest: string; readonly imports: readonly string[] }>();

  function read(url: string): { readonly digest: string; readonly imports: readonly string[] } {
    const known = files.get(url);
    if (known !== undefined) return known;
    const text = readFileSync(new URL(url), "utf8");
    const imports = Array.from(text.matchAll(IMPORT), ([, from, bare, dynamic]) => from ?? bare ?? dynamic!).flatMap(
      (specifier) => resolved(specifier, url) ?? [],
    );
    const file = { digest: createHash("sha256").update(text).digest("hex"), imports };
    files.set(url, file);
    return file;
  }

  return (modules) => {
    const reached = new Set(modules.map(({ href }) => href));
    for (const url of reached) for (const next of read(url).imports) reached.add(next);
    const digests = [...reached].map((url) => read(url).digest).sort();
    return createHash("sha256").update(digests.join("\n")).digest("hex");
  };
}

function resolved(specifier: string, from: string): string | undefined {
  if (specifier.startsWith(".")) return new URL(specifier, from).href;
  return OURS.test(specifier) ? import.meta.resolve(specifier) : undefined;
}
