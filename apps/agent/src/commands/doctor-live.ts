import { type CompatibleServer, compatibleProfiles } from "@palimpsest/provider-simulator";
import { usd } from "../text/table.ts";
import { noKeyText, type WantedProvider } from "./choose-provider.ts";
import { chooseWithStored } from "./connect-chosen.ts";
import { EXIT } from "./exit-codes.ts";
import type { LivePlan } from "./live/plan-probes.ts";
import { type LiveReport, runProbes } from "./live/run-probes.ts";
import { amountOf, oneOf } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

interface LiveOptions extends WantedProvider {
  readonly json?: boolean | undefined;
  readonly server?: string | undefined;
  readonly "max-usd"?: string | undefined;
}

const SERVERS = Object.keys(compatibleProfiles) as CompatibleServer[];
/** The server that adds the least to the Chat Completions API. */
const SERVER: CompatibleServer = "vLLM";
const MAX_USD = 0.1;

/**
 * Makes a few small calls to the provider with the user's key. Checks the behavior that the engine relies on, and
 * compares it with the simulator.
 */
export async function runLive(options: LiveOptions, terminal: Terminal): Promise<number> {
  const { print, say, environment } = terminal;
  const server = oneOf("--server", options.server, SERVERS) ?? SERVER;
  const maxUsd = amountOf("--max-usd", options["max-usd"]) ?? MAX_USD;
  const choice = await chooseWithStored(options, environment);
  if (choice.key === undefined) {
    say(noKeyText(choice));
    return EXIT.failed;
  }
  if (choice.provider === "bedrock") {
    say("doctor --live cannot check bedrock: its client signs requests, so its traffic cannot be recorded.");
    return EXIT.failed;
  }
  const where = choice.baseUrl === undefined ? "" : ` at ${choice.baseUrl}`;
  const signal = terminal.interruption();
  const report = await runProbes({
    choice,
    server,
    maxUsd,
    signal,
    onPlan: (plan) => say(`${choice.provider}${where}, model ${choice.model}: ${planText(plan)}`),
    onProbe: (about) => say(`> ${about}`, "faint"),
  });
  await print(options.json ? JSON.stringify(report) : reportText(report));
  if (signal.aborted) return typeof signal.reason === "number" ? signal.reason : EXIT.interrupted;
  return report.checks.some(({ state }) => state === "problem") ? EXIT.failed : EXIT.done;
}

function planText({ calls, price }: LivePlan): string {
  const cost = price === undefined ? "price unknown" : `about ${usd(price.likelyUsd)}, at most ${usd(price.mostUsd)}`;
  return `at most ${calls} calls, ${cost}`;
}

function reportText({ checks, calls, priceUsd, comparedWith }: LiveReport): string {
  const lines = checks.flatMap(({ state, check, text, differences }) => [
    `${state.padEnd(8)} ${check}: ${text}`,
    ...differences.map(
      ({ field, actual = "missing", simulated = "missing" }) =>
        `  differs  ${field}: ${actual} (simulator: ${simulated})`,
    ),
  ]);
  const differing = checks.reduce((sum, { differences }) => sum + differences.length, 0);
  const cost = priceUsd === undefined ? "" : `, ${usd(priceUsd)} by the usage that the provider reported`;
  return [
    ...lines,
    "",
    `${calls} calls${cost}.`,
    `${differing === 0 ? "No difference" : `${differing} differences`} from the simulator of ${comparedWith}.`,
  ].join("\n");
}
