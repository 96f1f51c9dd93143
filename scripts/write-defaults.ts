/** Writes docs/defaults.md from the table of settings; with `--check` it only says whether the page is what it would write. */
import { readFileSync, writeFileSync } from "node:fs";
import { PROFILES } from "../packages/palimpsest/src/settings/profiles.ts";
import { variableOf } from "../packages/palimpsest/src/settings/resolve-settings.ts";
import { SETTINGS, type SettingName } from "../packages/palimpsest/src/settings/settings.ts";

const PAGE = "docs/defaults.md";

const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
  const { default: standard, about, is } = SETTINGS[name];
  const values = is.kind === "choice" ? ` One of ${is.of.map((word) => `\`${word}\``).join(", ")}.` : "";
  return `| \`${name}\` | \`${JSON.stringify(standard)}\` | ${about}${values} | \`${variableOf(name)}\` |`;
});
const profiles = Object.entries(PROFILES).map(([name, { about, values }]) => {
  const set = Object.entries(values).map(([setting, value]) => `\`${setting}\`: \`${JSON.stringify(value)}\``);
  return `| \`${name}\` | ${about} | ${set.length === 0 ? "none: the defaults" : set.join(", ")} |`;
});
const page = `# Settings and their defaults

Written by \`npm run defaults\` from packages/palimpsest/src/settings/settings.ts; do not edit it here.

Each setting comes from the strongest source that has it: environment, then flags (an OpenFeature client; the flag is named
like the setting, with \`palimpsest.\` before it), then the settings file (a JSON object of names and values; its schema, for
editors, is apps/agent/engine.schema.json, and \`$schema\` may point at it), then the profile, then the default. They are read at the start of
a turn and held for it. A value that does not fit is reported and the next weaker source holds. Also known:
\`DISABLE_COMPACT\`, \`DISABLE_AUTO_COMPACT\`, \`DISABLE_MICROCOMPACT\` (1, true, yes, on), and
\`PALIMPSEST_AUTOCOMPACT_PCT\`.

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
`;

if (!process.argv.includes("--check")) {
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, "utf8") !== page) {
  console.error(`${PAGE} is not what the settings say: run npm run defaults`);
  process.exitCode = 1;
}
