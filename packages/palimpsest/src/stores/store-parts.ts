/** `palimpsest/store-parts`: what every store needs, for stores of other packages. Types of the port are in `palimpsest/core`. */
export { isMatch, readQuery, snippetOf } from "../log/search-text.ts";
export { assertStorable, InvalidEntryError } from "./assert-storable.ts";
export { collectBatch } from "./collect-batch.ts";
export { fromMetadataText } from "./metadata.ts";
export type { ResultDraft } from "./results.ts";
export type { BatchOptions, EntryBatch, ExpiredPage, ExpireOptions, SearchOptions } from "./store.ts";
