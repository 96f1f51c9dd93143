import { CODING } from "../../packages/palimpsest/src/policy/weigh.ts";
import { PROFILES, SETTINGS } from "../../packages/palimpsest/src/settings/definitions.ts";

import { variableOf } from "../../packages/palimpsest/src/settings/resolve.ts";
import type { SettingName } from "../../packages/palimpsest/src/settings/settings.ts";

/** docs/defaults.md, from the table of settings. */
export function defaultsPage(): Readonly<Record<string, string>> {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { default: standard, description, enum: words } = SETTINGS[name];
    const values = Array.isArray(words) ? ` One of ${words.map((word) => `\`${word}\``).join(", ")}.` : "";
    return `| \`${name}\` | \`${JSON.stringify(standard)}\` | ${description}${values} | \`${variableOf(name)}\` |`;
  });
  const numbers = Object.entries(CODING).map(([name, profile]) => {
    const { keepNewest, filesTokens, quotedLinesTokens } = profile;
    const unlessWarm = profile.unlessKeptWarm ?? profile;
    const sizes = [profile, unlessWarm].flatMap(({ fromTokens, inTurnFromTokens }) => [fromTokens, inTurnFromTokens]);
    const cells = [...sizes, keepNewest, filesTokens, quotedLinesTokens];
    return `| \`${name}\` | ${cells.map((cell) => cell.toLocaleString("en-US")).join(" | ")} |`;
  });
  const profiles = Object.entries(PROFILES).map(([name, { about }]) => `| \`${name}\` | ${about} |`);
  return {
    "docs/defaults.md": `# Settings and their defaults

Written by \`npm run generate\` from packages/palimpsest/src/settings/definitions.ts; do not edit it here.

## Where settings come from

Each setting comes from the strongest source that has it:

| | source | in the library | in the agent |
| --- | --- | --- | --- |
| 1 | code and command line | \`openSession({ settings: { compaction: "ask" } })\` | \`palimpsest --set compaction=ask\` |
| 2 | variables | \`PALIMPSEST_COMPACTION=ask\`: of the process, or \`settingsFrom.environment\` | the same, and those of other programs: see below |
| 3 | flag service | \`settingsFrom.flags\`: an OpenFeature client; the flag is \`palimpsest.compaction\` | \`"flags"\` in settings.json: a module that exports one |
| 4 | settings file | \`settingsFrom.file\`: a JSON object of names and values, \`settingsFile(path)\` | engine.json in PALIMPSEST_HOME |
| 5 | default | the table below, or \`settingsFrom.defaults\` | the same, with \`keepWarm\` on |

Settings are read at the start of a turn and hold for all of it. A name that is unknown or a value that cannot be used:

- in code it throws an \`InvalidOptionError\`, and in TypeScript it does not compile; on the command line it ends the program;
- elsewhere the event \`settings-rejected\` tells it when the session is opened and when the source changes, the agent prints a
  line, and the next weaker source holds. \`palimpsest doctor\` lists all of them.

While the flag service fails, the values that it gave last hold. The events \`flags-failed\` and \`flags-recovered\` tell when it
begins and ends. A turn waits for flags for 2 seconds at most (\`settingsFrom.flagsDeadlineMs\`), once in an outage.

The schema of the file, for editors, is apps/agent/engine.schema.json; \`$schema\` may point at it.
\`PALIMPSEST_AUTOCOMPACT_PCT\` is a short name of \`PALIMPSEST_COMPACT_AT\`. The agent, and not the library, also follows variables of other
programs: \`DISABLE_COMPACT\`, \`DISABLE_AUTO_COMPACT\` (1, true, yes, on) and
\`*_AUTOCOMPACT_PCT_OVERRIDE\`. A variable of ours is stronger than one of theirs.

## Profiles

A session that is opened without a policy gets \`coding\` of \`palimpsest/policy\` with the numbers of a profile. \`profile\`, \`compactAt\`,
\`summaryModel\`, \`notes\` and \`keepWarm\` change that policy. A policy of your own has its own numbers: beside it, \`openSession\`
rejects these five settings in code, and reports them as \`settings-rejected\` if they come from a variable, a flag or a file.

| profile | what it is for |
| --- | --- |
${profiles.join("\n")}

Their numbers, in tokens:

| profile | compacts from, kept warm | and within a turn from | compacts from, not kept warm | and within a turn from | newest results that stay | files shown again | quoted lines |
| --- | --- | --- | --- | --- | --- | --- | --- |
${numbers.join("\n")}

A session is kept warm if pings keep its prompt in the provider's cache while a tool runs and while a person is away: with \`keepWarm\`
on, a person who can answer, known prices, and a provider that accepts such requests (Anthropic's does). A run with \`-p\` is not
kept warm. The status line shows the size that holds now.

Between these sizes and the full window, a session compacts only if that saves money. \`quality\` does so only in windows above
${CODING.quality.aboveWindowTokens.toLocaleString("en-US")} tokens.

## Settings

| setting | default | what it is | variable |
| --- | --- | --- | --- |
${rows.join("\n")}
`,
  };
}
