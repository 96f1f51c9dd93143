import { PROFILES, SETTINGS } from "../../packages/palimpsest/src/settings/definitions.ts";

import { variableOf } from "../../packages/palimpsest/src/settings/resolve.ts";
import type { SettingName } from "../../packages/palimpsest/src/settings/settings.ts";

/** docs/defaults.md, from the table of settings. */
export function defaultsPage(): Readonly<Record<string, string>> {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { default: standard, about, is } = SETTINGS[name];
    const values = is.kind === "choice" ? ` One of ${is.of.map((word) => `\`${word}\``).join(", ")}.` : "";
    return `| \`${name}\` | \`${JSON.stringify(standard)}\` | ${about}${values} | \`${variableOf(name)}\` |`;
  });
  const profiles = Object.entries(PROFILES).map(([name, { about, values }]) => {
    const set = Object.entries(values).map(([setting, value]) => `\`${setting}\`: \`${JSON.stringify(value)}\``);
    return `| \`${name}\` | ${about} | ${set.length === 0 ? "none: the defaults" : set.join(", ")} |`;
  });
  return {
    "docs/defaults.md": `# Settings and their defaults

Written by \`npm run generate\` from packages/palimpsest/src/settings/definitions.ts; do not edit it here.

## Where settings come from

Each setting comes from the strongest source that has it:

| | source | in the library | in the agent |
| --- | --- | --- | --- |
| 1 | code and command line | \`openSession({ settings: { "compaction.auto": "ask" } })\` | \`palimpsest --set compaction.auto=ask\` |
| 2 | variables | \`PALIMPSEST_COMPACTION_AUTO=ask\`: of the process, or \`settingsFrom.environment\` | the same, and those of other programs: see below |
| 3 | flag service | \`settingsFrom.flags\`: an OpenFeature client; the flag is \`palimpsest.compaction.auto\` | \`"flags"\` in settings.json: a module that exports one |
| 4 | settings file | \`settingsFrom.file\`: a JSON object of names and values, \`settingsFile(path)\` | engine.json in PALIMPSEST_HOME |
| 5 | profile | the values of the profile that sources 1 to 4 name | the same |
| 6 | default | the table below | the same |

Settings are read at the start of a turn and hold for all of it. A name that is unknown or a value that cannot be used:

- in code it throws an \`InvalidOptionError\`, and in TypeScript it does not compile; on the command line it ends the program;
- elsewhere the event \`settings-rejected\` tells it when the session is opened and when the source changes, the agent prints a
  line, and the next weaker source holds. \`palimpsest doctor\` lists all of them.

While the flag service fails, the values that it gave last hold. The events \`flags-failed\` and \`flags-recovered\` tell when it
begins and ends. A turn waits for flags for 2 seconds at most (\`settingsFrom.flagsDeadlineMs\`), once in an outage.

The schema of the file, for editors, is apps/agent/engine.schema.json; \`$schema\` may point at it.
\`PALIMPSEST_AUTOCOMPACT_PCT\` is a short name of \`PALIMPSEST_COMPACTION_AUTO_PERCENT\`. The agent, and not the library, also follows variables of other
programs: \`DISABLE_COMPACT\`, \`DISABLE_AUTO_COMPACT\`, \`DISABLE_MICROCOMPACT\` (1, true, yes, on) and
\`*_AUTOCOMPACT_PCT_OVERRIDE\`. A variable of ours is stronger than one of theirs.

## Profiles

\`profile\` sets several settings at once. A setting that any other source sets keeps that value. Below the size at which the
window is nearly full, a compaction is optional: it is made only with a summary that a model wrote and that passed its checks.

| profile | what it is for | settings |
| --- | --- | --- |
${profiles.join("\n")}

## Settings

| setting | default | what it is | variable |
| --- | --- | --- | --- |
${rows.join("\n")}
`,
  };
}
