export type Environment = Readonly<Record<string, string | undefined>>;

/** What may be switched off. A switch of the environment beats the setting. */
export interface Switches {
  /** Any compaction, also one that is asked for. `DISABLE_COMPACT`. @default "on" */
  readonly compaction: "on" | "off";
  /** `DISABLE_AUTO_COMPACT`, setting `autoCompactEnabled`. @default "on" */
  readonly autoCompaction: "on" | "off";
  /** `DISABLE_MICROCOMPACT`. @default "on" */
  readonly microcompaction: "on" | "off";
  /** Compact at this percentage of the effective window. `PALIMPSEST_AUTOCOMPACT_PCT`. @default none */
  readonly autoCompactPercent?: number;
}

export interface SwitchSettings {
  /** @default true */
  readonly autoCompactEnabled?: boolean;
}

/** Another agent's name for the percentage, whatever stands before it; read where ours is not set. */
const PERCENT_ALIAS = /_AUTOCOMPACT_PCT_OVERRIDE$/;

export function readSwitches(environment: Environment, settings: SwitchSettings = {}): Switches {
  const compaction = isDisabled(environment["DISABLE_COMPACT"]) ? "off" : "on";
  const autoDisabled = isDisabled(environment["DISABLE_AUTO_COMPACT"]) ?? settings.autoCompactEnabled === false;
  const percent = readPercent(environment);
  return {
    compaction,
    autoCompaction: compaction === "off" || autoDisabled ? "off" : "on",
    microcompaction: isDisabled(environment["DISABLE_MICROCOMPACT"]) ? "off" : "on",
    ...(percent === undefined ? {} : { autoCompactPercent: percent }),
  };
}

/** Undefined if the variable says neither. */
function isDisabled(value: string | undefined): boolean | undefined {
  const word = value?.trim().toLowerCase() ?? "";
  if (["1", "true", "yes", "on"].includes(word)) return true;
  return ["0", "false", "no", "off"].includes(word) ? false : undefined;
}

/** Undefined for what is no percentage above 0 and up to 100. */
function readPercent(environment: Environment): number | undefined {
  const alias = Object.keys(environment).find((name) => PERCENT_ALIAS.test(name));
  const percent = Number(environment["PALIMPSEST_AUTOCOMPACT_PCT"] ?? (alias && environment[alias]) ?? "none");
  return percent > 0 && percent <= 100 ? percent : undefined;
}
