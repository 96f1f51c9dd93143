import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { explainCall, listPermissions, openingText, removePermission } from "../../permissions/review-permissions.ts";

/** Adds `/permissions`, which shows and changes the permission rules. */
export function permissionsExtension(context: ExtensionContext): Extension {
  const { settings, sandbox, permissions } = context;
  return {
    name: "permissions",
    commands: [permissionsCommand(context)],
    problems: openingText({ ...settings, mode: permissions.mode() }, sandbox),
  };
}

function permissionsCommand({ permissions, settings, sandbox, guard, places }: ExtensionContext): SlashCommand {
  return {
    name: "permissions",
    takes: "[why COMMAND | remove RULE]",
    about: "list the rules, explain what a command needs, remove a rule",
    when: "always",
    async open({ words, say }) {
      const state = { mode: permissions.mode(), rules: permissions.rules, settings, sandbox, guard, places };
      const [, word, wanted = ""] = /^(why|remove)\s+(.+)$/s.exec(words.trim()) ?? [];
      if (word === undefined) say(listPermissions(state));
      else say(await (word === "why" ? explainCall : removePermission)(wanted.trim(), state));
    },
  };
}
