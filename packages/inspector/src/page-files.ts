import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";

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

/** Reads the files of a folder. Every address that is no file and not below `/api/` is the page itself. */
export function readPageFiles(folder: URL): PageFiles {
  const names = readdirSync(folder);
  const files = new Map(names.map((name) => [`/${name}`, readFileSync(new URL(name, folder))]));
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
