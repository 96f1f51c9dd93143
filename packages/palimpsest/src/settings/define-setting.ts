import type { SettingDefinition } from "./setting-kind.ts";
import type { Switch } from "./settings.ts";

/** One of some words. */
export const choice = <const Word extends string>(
  of: readonly Word[],
  standard: NoInfer<Word>,
  about: string,
): SettingDefinition<Word> => ({ default: standard, about, is: { kind: "choice", of } });

/** A whole number. */
export const count = (standard: number, about: string, atLeast = 0): SettingDefinition<number> => ({
  default: standard,
  about,
  is: { kind: "count", atLeast },
});

export const onOff = (standard: Switch, about: string): SettingDefinition<Switch> =>
  choice(["on", "off"], standard, about);
