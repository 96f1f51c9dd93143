import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { ExtensionSetting } from "../../permissions/settings.ts";

/** The exports of a user's extension module. */
export interface ExtensionModule {
  /** Opens the extension. Called once for each session. */
  readonly open: (context: ExtensionContext) => Extension | Promise<Extension>;
}

interface UserExtensions {
  readonly extensions: readonly Extension[];
  /** Modules that could not be used, one line each. */
  readonly problems: readonly string[];
}

/** Opens the extensions that the settings name, in order. Reports a module that fails, and still opens the others. */
export async function openUserExtensions(context: ExtensionContext): Promise<UserExtensions> {
  const extensions: Extension[] = [];
  const problems: string[] = [];
  for (const setting of context.settings.extensions) {
    try {
      extensions.push(await openOne(setting, context));
    } catch (error) {
      const why = (error instanceof Error ? error.message : String(error)).split("\n")[0];
      problems.push(`Could not load the extension ${setting.module}: ${why}`);
    }
  }
  return { extensions, problems };
}

async function openOne({ module, from }: ExtensionSetting, context: ExtensionContext): Promise<Extension> {
  const { folder, places } = context;
  const path = resolveModule(module, from === "user" ? places.agentHome : join(folder, ".palimpsest"));
  const loaded = (await import(pathToFileURL(path).href)) as Partial<ExtensionModule>;
  if (typeof loaded.open !== "function") throw new Error("it must export a function `open(context)`.");
  const extension: Partial<Extension> | undefined = await loaded.open(context);
  if (typeof extension?.name !== "string") throw new Error("the object that `open` returns must have a `name`.");
  return named(extension as Extension);
}

/** Marks the extension's tools with its name, which the permission question shows. */
function named(extension: Extension): Extension {
  const { name } = extension;
  if (extension.tools === undefined) return extension;
  const tools: Extension["tools"] = (session) =>
    extension.tools!(session).map((tool) => ({ ...tool, origin: { kind: "extension", name } }));
  // Object.create instead of a copy, because an extension may be a class instance whose methods a copy would lose.
  return Object.create(extension, { tools: { value: tools } }) as Extension;
}

/** Resolves a path from the folder of the settings file, and a package from that folder's `node_modules`. */
function resolveModule(module: string, folder: string): string {
  if (isAbsolute(module)) return module;
  return createRequire(join(folder, "settings.json")).resolve(module);
}
