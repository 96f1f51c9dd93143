/** `palimpsest/inspect`: for programs that look into logs and texts, and run no session: requests as they were sent, search, accounting, prices. */
export { withCacheRead } from "./cost/prices.ts";
export type { Survivor } from "./inspect/boundary-at.ts";
export { type BoundaryAt, boundaryAt } from "./inspect/boundary-at.ts";
export {
  CACHE_CAUSES,
  type DiffCause,
  diffRequests,
  PROVIDER_SAYS,
  type RequestDiff,
} from "./inspect/diff-requests.ts";
export {
  type EventRow,
  type IndexedEvent,
  WINDOW_SOURCES,
  type WindowSource,
} from "./inspect/index-rows.ts";
export { type InspectedLog, openInspected, searchInspected, sessionTree, type TreeNode } from "./inspect/inspected.ts";
export type { PricedSegment } from "./inspect/price-segments.ts";
export { type NoRequestAt, type ProviderFor, type RequestAt, requestAt } from "./inspect/request-at.ts";
export type { ContentPlace } from "./inspect/segment.ts";
export { inPromptOrder, type Segment, type SegmentPlace } from "./inspect/segment.ts";
export { isMatch, type Phrase, readQuery, snippetOf } from "./log/search-text.ts";
export { type Accounting, account, accountingRows } from "./view/account.ts";
export { escapeTags, markData } from "./view/texts.ts";
