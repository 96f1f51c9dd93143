import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { withoutGuard } from "./guard.ts";
import { editsOf } from "./guards.ts";

const ROOT = new URL("../../../../", import.meta.url).href;
/** In the address of a module that was loaded once more. */
const WITHOUT = "without";

/** Loads modules a second time, with a guard of the product turned off. */
export interface Loader {
  load(url: string, without: string): Promise<object>;
}

/**
 * To be called before the product is loaded: it learns who imports whom. A module is loaded once more if it leads to the file of the
 * guard, and shared otherwise: so the same attack runs against the same product, but for one place.
 */
export function createLoader(): Loader {
  const importers = new Map<string, Set<string>>();
  const known = new Set<string>();
  const copied = new Map<string, ReadonlySet<string>>();
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (!isOurs(found.url) || context.parentURL === undefined) return found;
      const without = guardIn(context.parentURL);
      const url = plain(found.url);
      if (without === undefined) {
        importers.set(url, (importers.get(url) ?? new Set()).add(plain(context.parentURL)));
        return found;
      }
      const isCopied = copied.get(without)!.has(url) || !known.has(url);
      return isCopied ? Object.assign({}, found, { url: `${url}?${WITHOUT}=${encodeURIComponent(without)}` }) : found;
    },
    load(url, context, next) {
      const without = guardIn(url);
      const own = plain(url);
      if (without === undefined) {
        known.add(own);
        return next(url, context);
      }
      const edits = editsOf(without).filter(({ file }) => ROOT + file === own);
      const loaded = next(own, context);
      if (edits.length === 0) return loaded;
      return Object.assign({}, loaded, { source: withoutGuard(readFileSync(fileURLToPath(own), "utf8"), edits) });
    },
  });
  return {
    async load(url, without) {
      const again = leadingTo(editsOf(without).map(({ file }) => ROOT + file));
      if (!again.has(plain(url)))
        throw new Error(`${url} does not use the guard "${without}": it cannot be attacked there`);
      copied.set(without, again);
      return import(`${plain(url)}?${WITHOUT}=${encodeURIComponent(without)}`);
    },
  };

  /** The files themselves, and all that import them, over any number of others. */
  function leadingTo(files: readonly string[]): ReadonlySet<string> {
    const found = new Set(files);
    for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
    return found;
  }
}

function isOurs(url: string): boolean {
  return url.startsWith(ROOT) && !url.includes("/node_modules/");
}

function plain(url: string): string {
  return url.split("?")[0]!;
}

function guardIn(url: string): string | undefined {
  return new URL(url).searchParams.get(WITHOUT) ?? undefined;
}

/** The guard that is turned off where a module was loaded from this address. For those who start threads. */
export function guardMissingAt(url: string): string | undefined {
  return guardIn(url);
}
