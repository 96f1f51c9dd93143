/** `palimpsest/inspect`: for programs that look into logs and texts, and run no session: search, accounting, prices, marks around data. */
export { withCacheRead } from "./cache/prices.ts";
export { isMatch, type Phrase, readQuery, snippetOf } from "./log/search-text.ts";
export { type Accounting, account } from "./view/account.ts";
export { accountingRows } from "./view/accounting-rows.ts";
export { escapeTags, markData } from "./view/data-marks.ts";
