/** `palimpsest/inspect`: for programs that look into logs and texts, and run no session: requests as they were sent, search, accounting, prices. */
export { withCacheRead } from "./cost/prices.ts";
export { type BoundaryAt, boundaryAt } from "./inspect/boundary-at.ts";
export { CACHE_CAUSES, PROVIDER_SAYS } from "./inspect/cache-words.ts";
export type { ContentPlace } from "./inspect/content-place.ts";
export { type DiffCause, diffRequests, type RequestDiff } from "./inspect/diff-requests.ts";
export {
  type EventRow,
  type IndexedEvent,
  WINDOW_SOURCES,
  type WindowSource,
} from "./inspect/index-rows.ts";
export type { Survivor } from "./inspect/inspected.ts";
export { type InspectedLog, openInspected } from "./inspect/open-inspected.ts";
export type { PricedSegment } from "./inspect/price-segments.ts";
export { type NoRequestAt, type ProviderFor, type RequestAt, requestAt } from "./inspect/request-at.ts";
export { searchInspected } from "./inspect/search-inspected.ts";
export { inPromptOrder, type Segment, type SegmentPlace } from "./inspect/segment.ts";
export { sessionTree, type TreeNode } from "./inspect/session-tree.ts";
export { isMatch, type Phrase, readQuery, snippetOf } from "./log/search-text.ts";
export { type Accounting, account } from "./view/account.ts";
export { accountingRows } from "./view/accounting-rows.ts";
export { escapeTags, markData } from "./view/data-marks.ts";
