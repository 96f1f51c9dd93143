import { lstat } from "node:fs/promises";
import { memoryStore, openSession } from "palimpsest";
import { loadSettings } from "../permissions/load-settings.ts";
import { exceptionalPrograms, withoutSandbox } from "../permissions/review-permissions.ts";
import { openSessionSandbox, unguardedReason } from "../permissions/session-sandbox.ts";
import { policyText, refusalOfRoots } from "../sandbox/policy.ts";
import { engineSettings } from "../workspace/engine-settings.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { listSessions } from "../workspace/stored-sessions.ts";
import { readTelemetryChoice } from "../workspace/telemetry-choice.ts";
import { UsageError } from "../workspace/usage-error.ts";
import type { WantedProvider } from "./choose-provider.ts";
import { offline, userModels } from "./connect.ts";
import { chooseWithStored } from "./connect-chosen.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject, type Project } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

interface Finding {
  readonly about: string;
  readonly state: "ok" | "note" | "problem";
  readonly text: string;
}

/** Checks what the agent needs, and reports what is missing. Sends nothing without `--live`. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.doctor);
  if (values.live) {
    const { runLive } = await import("./doctor-live.ts");
    return runLive(values, terminal);
  }
  if (values.database !== undefined) {
    const { runDatabase } = await import("./doctor-database.ts");
    return runDatabase(values.database, terminal, values.json === true);
  }
  if (values.server !== undefined || values["max-usd"] !== undefined) {
    throw new UsageError("--server and --max-usd need --live: palimpsest doctor --live.");
  }
  const findings = await inProject(terminal, async (project) => {
    const checks = [checkHome, checkSessions, checkSettings, checkSandbox].map((check) => check(project, terminal));
    return [
      ...(await Promise.all(checks)).flat(),
      ...checkTelemetry(terminal),
      ...(await checkProvider(values, project, terminal)),
    ];
  });
  if (values.json) await terminal.print(JSON.stringify(findings));
  else for (const { about, state, text } of findings) await terminal.print(`${state.padEnd(8)} ${about}: ${text}`);
  return findings.some(({ state }) => state === "problem") ? EXIT.failed : EXIT.done;
}

async function checkHome({ places: { agentHome } }: Project): Promise<readonly Finding[]> {
  const about = "home";
  const stat = await lstat(agentHome).catch(() => undefined);
  if (stat === undefined) return [{ about, state: "ok", text: `the first session will create ${agentHome}` }];
  if (!stat.isDirectory())
    return [
      {
        about,
        state: "problem",
        text: `${agentHome} is not a folder; move the file away, or set PALIMPSEST_HOME to a folder`,
      },
    ];
  const isPrivate = (stat.mode & 0o077) === 0;
  const text = isPrivate ? agentHome : `other users can read ${agentHome}; to prevent that: chmod 700 ${agentHome}`;
  return [{ about, state: isPrivate ? "ok" : "note", text }];
}

async function checkSessions({ store, places }: Project): Promise<readonly Finding[]> {
  const about = "sessions";
  try {
    return [
      {
        about,
        state: "ok",
        text: `${(await listSessions(store)).length} in this folder, stored in ${places.sessions}`,
      },
    ];
  } catch (error) {
    return [{ about, state: "problem", text: error instanceof Error ? error.message : String(error) }];
  }
}

async function checkSettings({ folder, places: { agentHome } }: Project): Promise<readonly Finding[]> {
  const about = "settings";
  const { problems, heldBack, settings } = await loadSettings({ guard: await createPathGuard(folder), agentHome });
  const found: readonly Finding[] = [
    ...problems.map((text) => ({ about, state: "problem", text }) as const),
    ...heldBack.map(
      (what) => ({ about, state: "note", text: `not trusted yet: ${what}; to review: palimpsest trust` }) as const,
    ),
  ];
  if (found.length > 0) return found;
  return [
    {
      about,
      state: "ok",
      text: `mode ${settings.mode}, ${settings.rules.length} rules, ${settings.hooks.length} hooks`,
    },
  ];
}

async function checkSandbox({ folder, places }: Project, { environment }: Terminal): Promise<readonly Finding[]> {
  const about = "sandbox";
  const { settings } = await loadSettings({ guard: await createPathGuard(folder), agentHome: places.agentHome });
  const guard = await createPathGuard(folder, settings.folders);
  const refusal = refusalOfRoots(guard.roots, { home: places.home, ownFolders: [places.agentHome] });
  if (refusal !== undefined) return [{ about, state: "problem", text: refusal }];
  const sessionFolder = places.folderOf("doctor");
  const sandbox = await openSessionSandbox({ settings, guard, places, sessionFolder, environment });
  if (sandbox.kind === "none") {
    const text = withoutSandbox(settings, sandbox.reason, "none");
    return [{ about, state: settings.sandbox === "required" ? "problem" : "note", text }];
  }
  const lines = policyText(sandbox.policy).map((text): Finding => ({ about, state: "ok", text }));
  const exceptions = exceptionalPrograms(settings).map((text): Finding => ({ about, state: "note", text }));
  const kept = "bubblewrap: commands, hooks and MCP servers stay inside the project";
  const gap = await unguardedReason(sandbox);
  const large: readonly Finding[] =
    gap === undefined ? [] : [{ about, state: "note", text: `${gap} Commands ask first.` }];
  return [{ about, state: "ok", text: kept }, ...large, ...lines, ...exceptions];
}

function checkTelemetry({ environment }: Terminal): readonly Finding[] {
  const about = "telemetry";
  const wish = readTelemetryChoice(environment);
  switch (wish.kind) {
    case "none":
      return [];
    case "unusable":
      return [{ about, state: "problem", text: `off: ${wish.because}` }];
    case "otlp":
      return [
        { about, state: "ok", text: `traces ${wish.traces}, metrics ${wish.metrics}, set by the OTEL_* variables` },
      ];
  }
}

async function checkProvider(
  wanted: WantedProvider,
  { places }: Project,
  { environment }: Terminal,
): Promise<readonly Finding[]> {
  const { provider, model, key, keyName, baseUrl } = await chooseWithStored(wanted, environment);
  const engine = await openSession({
    store: memoryStore(),
    provider: await offline(provider, await userModels(environment)),
    model,
    settingsFrom: engineSettings(places, environment),
  });
  const size = engine.view.size();
  const problems = engine.settings().problems.map(({ message }) => {
    return { about: "engine settings", state: "problem", text: message } as const;
  });
  await engine.close();
  const where = baseUrl === undefined ? "" : ` at ${baseUrl}`;
  const tokens = size.windowTokens.toLocaleString("en-US");
  const window = `context window ${tokens} tokens${size.known === "guessed" ? ` (a guess; set the real size in settings.json, "models")` : ""}`;
  return [
    key === undefined
      ? {
          about: "provider",
          state: "problem",
          text: `${provider}: ${keyName} is not set, and no key is stored (palimpsest key set); palimpsest demo works without a key`,
        }
      : { about: "provider", state: "ok", text: `${provider}${where}, model ${model}, ${window}` },
    ...problems,
  ];
}
