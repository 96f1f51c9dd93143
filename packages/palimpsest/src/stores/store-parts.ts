/** `palimpsest/store-parts`: helpers for stores in other packages. The types of the port are in `palimpsest/core`. */
export { isMatch, readQuery, snippetOf } from "../log/search-text.ts";
export { collectBatch } from "./read.ts";
export type { BatchOptions, EntryBatch, ExpiredPage, ExpireOptions, ResultDraft, SearchOptions } from "./store.ts";
export { assertStorable, fromMetadataText, InvalidEntryError } from "./store.ts";
