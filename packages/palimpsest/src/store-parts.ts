/** `palimpsest/store-parts`: what every store needs, for stores of other packages. Types of the port are in `palimpsest/core`. */
export { isMatch, readQuery, snippetOf } from "../log/search-text.ts";
export { assertStorable, collectBatch, InvalidEntryError } from "./read.ts";
export type { BatchOptions, EntryBatch, ExpiredPage, ExpireOptions, ResultDraft, SearchOptions } from "./store.ts";
export { fromMetadataText } from "./store.ts";
