// The names and types of the settings, and the schemas that they share. `definitions.ts` has all settings.

import { choice, integer, number, type Schema, type WithDefault, withDefault } from "../schema/schema.ts";

/** All settings of one turn. `SETTINGS` describes each of them. */
export interface Settings {
  readonly profile: Profile;
  readonly compaction: "auto" | "ask" | "off";
  readonly compactAt: number;
  readonly summaryModel: string;
  readonly notes: Switch;
  readonly keepWarm: Switch;
  readonly compactTool: Switch;
  readonly "window.tokens": number;
  readonly "memory.extraction": Switch;
  readonly "memory.recall": Switch;
  readonly "dream.enabled": Switch;
  readonly "agents.enabled": Switch;
  readonly "agents.running": number;
  readonly "agents.tokens": number;
  readonly "agents.wakeOnMail": Switch;
  readonly "toolResults.keptDays": number;
  readonly "toolResults.keptMegabytes": number;
  readonly "tools.deferAboveTokens": number;
}

type Switch = "on" | "off";
/** The numbers of the default policy, by name. */
export type Profile = "quality" | "balanced" | "economy";

/** The name of a setting. */
export type SettingName = keyof Settings;

/** The settings that shape the default policy, each with the place of its value in a policy that the host passes. */
export const DEFAULT_POLICY_SETTINGS: Readonly<Record<keyof DefaultPolicySettings, string>> = {
  profile: 'Pass the profile to the preset, as in coding("economy")',
  compactAt:
    'Pass the number to the preset, as in coding("balanced", { compactAtPercent: 60 }), or to window({ percent: 60 })',
  summaryModel: "Pass the model to the form of the summary, as in prose(ask, { model })",
  notes: "Set the field `notes` of the policy, as in { ...policy, notes: codingNotes() }, or leave the field out",
  keepWarm: 'Pass the rule to the preset, as in coding("balanced", { keepWarm: keepWarm() })',
  compactTool: "Add the rule to the field `compact.when` of the policy, as in anyOf(compact.when, whenProposed())",
};

/** The part of the settings that shapes the default policy. */
export type DefaultPolicySettings = Pick<
  Settings,
  "profile" | "compactAt" | "summaryModel" | "notes" | "keepWarm" | "compactTool"
>;

/** A setting: the schema of its values, with a description and a default. */
export type Setting<Value> = WithDefault<Value> & { readonly description: string };

/** Defines a setting. The schema needs a description. */
export function setting<Value>(standard: NoInfer<Value>, schema: Schema<Value>): Setting<Value> {
  return withDefault(standard, schema) as Setting<Value>;
}

/** A value that is on or off. */
export function onOff(description: string): Schema<Switch> {
  return choice(["on", "off"], description);
}

/** A whole number of at least this minimum. */
export function count(description: string, minimum = 0): Schema<number> {
  return integer(description, { minimum, maximum: Number.MAX_SAFE_INTEGER });
}

/** A percentage. */
export function percent(description: string): Schema<number> {
  return number(description, { exclusiveMinimum: 0, maximum: 100 });
}
