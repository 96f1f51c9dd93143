import { parseSetting, type ResolvedSettings, SETTINGS, type SettingName } from "palimpsest";
import { originText, PROFILE_NAMES, valueText, writeSetting } from "../../commands/config.ts";
import { nextRows } from "../../commands/context.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { Dialog, DialogAnswer } from "../../extension/slash-command.ts";
import { plain } from "../../text/line.ts";
import { nearest } from "../../text/nearest.ts";
import { padText, widthOf } from "../../text/width.ts";
import { chooseProfile, keepProfile } from "../choose-profile.ts";
import type { ScreenCommand, ScreenContext } from "./screen-command.ts";

const NAMES = Object.keys(SETTINGS) as readonly SettingName[];
const DEFAULT = "default";

export const config: ScreenCommand = {
  name: "config",
  takes: "[NAME | PROFILE]",
  about: "see and change settings: meaning, value, source, profile",
  when: "always",
  async open(context) {
    const { words, agent, project, ask, say } = context;
    const file = project.places.engineSettings;
    const profile = PROFILE_NAMES.find((name) => name === words);
    if (profile !== undefined) return keepProfile(profile, { file, say });
    const named = NAMES.find((name) => name === words);
    if (words !== "" && named === undefined) {
      const meant = nearest(words, [...NAMES, ...PROFILE_NAMES]);
      const hint = meant === undefined ? "/config lists the settings." : `Did you mean ${JSON.stringify(meant)}?`;
      return say(`Unknown setting ${JSON.stringify(words)}. ${hint}`, { color: "warning" });
    }
    const name = named ?? (await chooseSetting(agent.session, context, file));
    if (name === undefined) return;
    const current = agent.session.settings();
    if (name === "profile") return chooseProfile({ file, current: current.settings.profile, ask, say });
    await changeSetting(name, current, context, file);
  },
};

type Screen = Pick<ScreenContext, "ask" | "say">;

async function chooseSetting(
  session: Pick<AgentSession, "settings" | "view">,
  { ask }: Screen,
  file: string,
): Promise<SettingName | undefined> {
  const resolved = session.settings();
  const widest = Math.max(...NAMES.map(widthOf));
  const answer = await ask({
    title: "Settings (type to search)",
    body: nextRows(session.view.size().compaction, "").map(([what, text]) => plain(`${padText(what!, 8)}${text}`)),
    shown: "searched",
    options: NAMES.map((name) => ({
      value: name,
      label: padText(name, widest),
      about: `${valueText(resolved.settings[name])} · ${sourceText(name, resolved, file)}`,
    })),
  });
  return NAMES.find((name) => answer.kind === "chosen" && answer.values[0] === name);
}

async function changeSetting(
  name: SettingName,
  resolved: ResolvedSettings,
  { ask, say }: Screen,
  file: string,
): Promise<void> {
  const answer = await ask(settingDialog(name, resolved, file));
  const wanted = wantedValue(name, answer);
  if (wanted.kind === "nothing") return;
  if (wanted.kind === "problem") return say(wanted.message, { color: "warning" });
  await writeSetting(file, name, wanted.value);
  const shown =
    wanted.value === undefined ? `its default, ${valueText(resolved.defaults[name])}` : valueText(wanted.value);
  const origin = resolved.origins[name];
  const isHidden = origin === "code" || origin === "environment" || origin === "flags";
  const hidden = isHidden ? ` The ${originText(origin, file)} still overrides it.` : "";
  say(`${name} is ${shown} from your next message on. Saved in ${file}.${hidden}`);
}

function settingDialog(name: SettingName, resolved: ResolvedSettings, file: string): Dialog {
  const { description, enum: words } = SETTINGS[name];
  const { settings, defaults } = resolved;
  return {
    title: name,
    body: [
      plain(description),
      plain(
        `Now ${valueText(settings[name])} (${sourceText(name, resolved, file)}). Default ${valueText(defaults[name])}.`,
      ),
    ],
    options: [
      ...(Array.isArray(words) ? words.map((word) => ({ value: `=${word}`, label: String(word) })) : []),
      { value: DEFAULT, label: "Remove your value", about: "the default decides" },
    ],
    ...(Array.isArray(words) ? {} : { words: "New value" }),
  };
}

type Wanted =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "problem"; readonly message: string }
  | { readonly kind: "nothing" };

function wantedValue(name: SettingName, answer: DialogAnswer): Wanted {
  if (answer.kind === "left") return { kind: "nothing" };
  const [chosen = ""] = answer.kind === "chosen" ? answer.values : [`=${answer.text.trim()}`];
  if (chosen === DEFAULT) return { kind: "value", value: undefined };
  const read = parseSetting(`${name}${chosen}`);
  if (read.kind === "problem") return { kind: "problem", message: read.message };
  return { kind: "value", value: read.settings[name] };
}

function sourceText(name: SettingName, { origins }: ResolvedSettings, file: string): string {
  const origin = origins[name];
  return origin === undefined ? "default" : originText(origin, file);
}
