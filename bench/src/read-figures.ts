/** What searchers found, by name. */
export type Searchers = Readonly<
  Record<
    "ours" | "ours_without_thesaurus" | "ours_without_common_words" | "ours_without_german_stems" | "fts5_porter",
    { readonly recall_at_5_pct: number; readonly no_answer_clean_pct: number }
  >
>;

/** After ten compactions. */
export function afterTen(shares: unknown): number {
  return (shares as Record<string, number>)["10"]!;
}

/** At 5,000 blocks. */
export function at5000(rates: unknown): number {
  return (rates as Record<string, number>)["5000"]!;
}

interface SettingFigures {
  readonly cost_ratio: Readonly<Record<"balanced", readonly [value: number, low: number, high: number]>>;
  readonly needs_met_pct: Readonly<Record<"balanced" | "plain_167k", number>>;
}

/** Of the economics, by setting. */
export function settings(bySetting: unknown): readonly SettingFigures[] {
  return Object.values(bySetting as Record<string, SettingFigures>);
}
