type ByPolicy<Value = number> = Readonly<Record<string, Value>>;
type Interval = readonly [value: number, low: number, high: number];

interface MainFigures {
  readonly cost_ratio: ByPolicy<Interval>;
  readonly needs_strict_pct: ByPolicy;
  readonly edit_lines_unmet_pct: ByPolicy;
  readonly needs_met_pct: ByPolicy;
}

export interface SettingFigures extends MainFigures {
  readonly cost_ratio_by_repository: ByPolicy<Interval>;
  readonly bare_cost_ratio: ByPolicy;
  readonly names_met_pct: ByPolicy;
  readonly refetches: ByPolicy;
  readonly compactions: ByPolicy;
  readonly compactions_per_user_message: ByPolicy;
  readonly seconds_waited_per_user_message: ByPolicy;
  readonly dearer_sessions_pct: ByPolicy;
  readonly median_session: ByPolicy;
  readonly worst_session: ByPolicy;
  readonly dearer_stops_pct: ByPolicy;
  readonly dearer_early_stops_pct: ByPolicy;
  readonly worst_stop: ByPolicy;
  readonly of_best_known?: ByPolicy;
  readonly against_plain: ByPolicy<ByPolicy<{ readonly cost: Interval; readonly needs_strict_pct: Interval }>>;
}

/** What `npm run -s lab -- economics --json` prints, as far as the page shows it. */
export interface EconomicsFigures {
  readonly sessions: number;
  readonly failed: number;
  readonly failed_sessions: readonly { readonly name: string; readonly reason: string }[];
  readonly requests: number;
  readonly user_messages: number;
  /** Rounds that only read, and those of them that one request less would have needed, at most. */
  readonly read_only_rounds: number;
  readonly rounds_saved_by_calls_together: number;
  readonly recorded_output_ratio: number;
  readonly assumed: { readonly output_tokens_per_second: number; readonly seconds_to_first_token: number };
  readonly by_setting: ByPolicy<SettingFigures>;
  readonly by_agent: ByPolicy<{ readonly sessions: number; readonly by_setting: ByPolicy<MainFigures> }>;
  readonly held_out: ByPolicy<{
    readonly chosen: ByPolicy<string>;
    readonly choice_of_all: string;
    readonly cost_ratio: number;
    readonly needs_strict_pct: number;
    readonly floor_strict_pct: number;
  }>;
}

const PROFILES = ["quality", "balanced", "economy"];
const PLAIN = ["plain_80k", "plain_100k", "plain_130k", "plain_167k"];
const LIFETIMES = [...PROFILES.flatMap((profile) => [profile, `${profile}_two_lifetimes`]), "head_1h"];
const COMPARED = [...PROFILES, ...PLAIN];

/** Whose a policy is, by its name in the figures. */
export function ownerOf(policy: string): "us" | "others" | "nobody" {
  if (policy === "append_only" || policy === "best_known" || PLAIN.includes(policy)) return "nobody";
  return OURS.test(policy) ? "us" : "others";
}

const OURS =
  /^(?:(?:quality|balanced|economy)(?:_two_lifetimes)?|head_1h|keep_warm|economic|careful|from_250k|patient|payback|fixed|full_window|notes_\w+|\w+_notes)$/;

/** The tables of the page, by the name of the place where each belongs. */
export function economicsTables(figures: EconomicsFigures): Readonly<Record<string, string>> {
  const settings = Object.entries(figures.by_setting);
  const shown = settings.filter(([name]) => name.endsWith("/0.1/5m"));
  return {
    sessions: sessionsText(figures),
    ...Object.fromEntries(shown.map(([name, setting]) => [name, policiesTable(setting)])),
    "against plain compaction": againstPlainTable(shown),
    spread: spreadTable(shown),
    lifetimes: lifetimesTable(shown),
    agents: agentsTable(figures),
    "held out": heldOutTable(figures),
    "all settings": settingsTable(settings),
  };
}

function sessionsText(figures: EconomicsFigures): string {
  const { sessions, failed, failed_sessions, requests, user_messages, recorded_output_ratio } = figures;
  const failures =
    failed === 0 ? "None failed" : `${failed} failed: ${failed_sessions.map(({ name }) => name).join(", ")}`;
  return [
    `${sessions} sessions, ${requests} requests, ${user_messages} messages of users. ${failures}.`,
    `Recorded output is ${recorded_output_ratio} times what the replay counts.`,
    `Of ${figures.read_only_rounds} rounds that only read, at most ${figures.rounds_saved_by_calls_together} could have been part of the round before.`,
  ].join(" ");
}

function policiesTable(figures: SettingFigures): string {
  const policies = Object.keys(figures.cost_ratio).sort(
    (one, other) => figures.cost_ratio[one]![0] - figures.cost_ratio[other]![0],
  );
  const head = [
    ...["policy", "cost", "95%, by session", "95%, by repository", "strict needs %", "edit lines unmet %"],
    ...["names met %", "fetched again", "compactions per message", "seconds waited per message", "of the best known"],
  ];
  const rows = policies.map((policy) => [
    label(policy),
    fixed(figures.cost_ratio[policy]![0], 3),
    bounds(figures.cost_ratio[policy]!, 3),
    bounds(figures.cost_ratio_by_repository[policy]!, 3),
    fixed(figures.needs_strict_pct[policy]!, 2),
    fixed(figures.edit_lines_unmet_pct[policy]!, 2),
    fixed(figures.names_met_pct[policy]!, 2),
    String(figures.refetches[policy]!),
    fixed(figures.compactions_per_user_message[policy]!, 3),
    fixed(figures.seconds_waited_per_user_message[policy]!, 1),
    figures.of_best_known === undefined ? "" : fixed(figures.of_best_known[policy]!, 2),
  ]);
  return table(head, rows);
}

function againstPlainTable(settings: readonly (readonly [string, SettingFigures])[]): string {
  const rows = settings.flatMap(([name, { against_plain }]) =>
    Object.entries(against_plain).flatMap(([profile, plains]) =>
      Object.entries(plains).map(([plain, { cost, needs_strict_pct }]) => [
        name,
        label(profile),
        label(plain),
        `${fixed(cost[0], 3)} (${bounds(cost, 3)})`,
        `${fixed(needs_strict_pct[0], 2)} (${bounds(needs_strict_pct, 2)})`,
      ]),
    ),
  );
  return table(["setting", "profile", "against", "cost, difference", "strict needs, points"], rows);
}

function spreadTable(settings: readonly (readonly [string, SettingFigures])[]): string {
  const head = [
    ...["setting", "policy", "median session", "dearer sessions %", "worst session"],
    ...["stops over 5% dearer %", "of requests 20 to 40 %", "worst stop"],
  ];
  const rows = settings.flatMap(([name, figures]) =>
    COMPARED.map((policy) => [
      name,
      label(policy),
      fixed(figures.median_session[policy]!, 3),
      fixed(figures.dearer_sessions_pct[policy]!, 1),
      fixed(figures.worst_session[policy]!, 3),
      fixed(figures.dearer_stops_pct[policy]!, 2),
      fixed(figures.dearer_early_stops_pct[policy]!, 2),
      fixed(figures.worst_stop[policy]!, 2),
    ]),
  );
  return table(head, rows);
}

/** The same profile with one lifetime, and with a longer one for the head. */
function lifetimesTable(settings: readonly (readonly [string, SettingFigures])[]): string {
  const head = [
    "setting",
    "policy",
    "cost",
    "95%, by session",
    "strict needs %",
    "worst session",
    "stops over 5% dearer %",
  ];
  const rows = settings.flatMap(([name, figures]) =>
    LIFETIMES.filter((policy) => figures.cost_ratio[policy] !== undefined).map((policy) => [
      name,
      label(policy),
      fixed(figures.cost_ratio[policy]![0], 3),
      bounds(figures.cost_ratio[policy]!, 3),
      fixed(figures.needs_strict_pct[policy]!, 2),
      fixed(figures.worst_session[policy]!, 3),
      fixed(figures.dearer_stops_pct[policy]!, 2),
    ]),
  );
  return table(head, rows);
}

function agentsTable({ by_agent }: EconomicsFigures): string {
  const rows = Object.entries(by_agent).flatMap(([agent, { sessions, by_setting }]) =>
    Object.entries(by_setting).flatMap(([setting, figures]) =>
      COMPARED.map((policy) => [
        agent.replaceAll("_", "-"),
        String(sessions),
        setting,
        label(policy),
        `${fixed(figures.cost_ratio[policy]![0], 3)} (${bounds(figures.cost_ratio[policy]!, 3)})`,
        fixed(figures.needs_strict_pct[policy]!, 2),
        fixed(figures.edit_lines_unmet_pct[policy]!, 2),
      ]),
    ),
  );
  return table(["agent", "sessions", "setting", "policy", "cost", "strict needs %", "edit lines unmet %"], rows);
}

function heldOutTable({ held_out }: EconomicsFigures): string {
  const rows = Object.entries(held_out).map(([setting, score]) => [
    setting,
    counted(Object.values(score.chosen)),
    label(score.choice_of_all),
    fixed(score.cost_ratio, 3),
    fixed(score.needs_strict_pct, 2),
    fixed(score.floor_strict_pct, 2),
  ]);
  return table(["setting", "chosen, by repository", "chosen on all", "cost", "strict needs %", "plain-167k %"], rows);
}

function settingsTable(settings: readonly (readonly [string, SettingFigures])[]): string {
  const rows = settings.map(([name, { cost_ratio, needs_strict_pct }]) => [
    name,
    ...COMPARED.map((policy) => `${fixed(cost_ratio[policy]![0], 3)} / ${fixed(needs_strict_pct[policy]!, 2)}`),
  ]);
  return table(["cost / strict needs %", ...COMPARED.map(label)], rows);
}

/** `balanced: 7, quality: 2` */
function counted(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)].map(([name, all]) => `${name}: ${all.length}`).join(", ");
}

/** Ours stand out. */
function label(policy: string): string {
  const name = policy.replaceAll("_", "-");
  return ownerOf(policy) === "us" ? `**${name}**` : name;
}

function bounds([, low, high]: Interval, places: number): string {
  return `${fixed(low, places)} to ${fixed(high, places)}`;
}

function fixed(value: number, places: number): string {
  return value.toFixed(places);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
