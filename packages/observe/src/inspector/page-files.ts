import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";

/** The same from the sources and from the built code: both are two folders below the package. */
const PAGE_FOLDER = new URL("../../page/", import.meta.url);

/** The files of the page, held in memory. */
export interface PageFiles {
  find(path: string): { readonly type: string; readonly bytes: Buffer } | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The files of the page as texts, by name. */
export function readPageTexts(): ReadonlyMap<string, string> {
  return new Map(readdirSync(PAGE_FOLDER).map((name) => [name, readFileSync(new URL(name, PAGE_FOLDER), "utf8")]));
}

/** Reads the files of the page. Every address that is no file and not below `/api/` is the page itself. */
export function readPageFiles(): PageFiles {
  const files = new Map([...readPageTexts()].map(([name, text]) => [`/${name}`, Buffer.from(text)]));
  const page = files.get("/index.html")!;
  return {
    find(path) {
      if (path.startsWith("/api/")) return undefined;
      const bytes = files.get(path);
      return bytes === undefined ? { type: TYPES[".html"]!, bytes: page } : { type: typeOf(path), bytes };
    },
  };
}

function typeOf(path: string): string {
  return TYPES[extname(path)] ?? "application/octet-stream";
}
