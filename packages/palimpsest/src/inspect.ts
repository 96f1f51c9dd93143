/** `palimpsest/inspect`: for programs that look into logs and texts, and run no session: search, accounting, marks around data. */
export { isMatch, type Phrase, readQuery, snippetOf } from "./log/search-text.ts";
export { type Accounting, account } from "./view/account.ts";
export { accountingRows } from "./view/accounting-rows.ts";
export { escapeTags, markData } from "./view/data-marks.ts";
