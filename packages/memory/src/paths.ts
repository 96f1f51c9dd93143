import { isSlug } from "./slug.ts";

/** The index. */
export const INDEX_PATH = "MEMORY.md";

/** Where a file of the memory lies: among the topics, in the inbox, among what was forgotten. */
export type Place = "topic" | "inbox" | "forgotten";

const FOLDERS: Readonly<Record<Place, string>> = { topic: "", inbox: "inbox", forgotten: "forgotten" };
export const PLACES: readonly Place[] = ["topic", "inbox", "forgotten"];

export function folderOf(place: Place): string {
  return FOLDERS[place];
}

export function pathOf(place: Place, slug: string): string {
  return `${place === "topic" ? "" : `${FOLDERS[place]}/`}${slug}.md`;
}

/** Undefined for the index, and for what is no file of a memory. */
export function readPath(path: string): { readonly place: Place; readonly slug: string } | undefined {
  const [, folder = "", slug = ""] = /^(?:(inbox|forgotten)\/)?([^/]+)\.md$/.exec(path) ?? [];
  const place = PLACES.find((candidate) => FOLDERS[candidate] === folder);
  return path === INDEX_PATH || place === undefined || !isSlug(slug) ? undefined : { place, slug };
}

/** The folder within a memory that holds what only the program reads. */
export const OURS = ".palimpsest";
