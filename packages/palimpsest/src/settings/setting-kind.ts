/** The type of a setting's value: one of several words, a whole number with a minimum, a percentage, a text, US dollars, names, or names with a number each. */
export type SettingKind =
  | { readonly kind: "choice"; readonly of: readonly string[] }
  | { readonly kind: "count"; readonly atLeast: number }
  | { readonly kind: "percent" }
  | { readonly kind: "text" }
  | { readonly kind: "amount" }
  | { readonly kind: "names" }
  | { readonly kind: "counts-by-name" };

export interface SettingDefinition<Value> {
  readonly default: Value;
  readonly about: string;
  readonly is: SettingKind;
}
