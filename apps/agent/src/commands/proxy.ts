import { once } from "node:events";
import { join, resolve } from "node:path";
import { agentHomeOf } from "@palimpsest/coordination/project-places";
import { counted, dollars, tokens } from "@palimpsest/observe/analyze";
import { DEFAULT_PROXY_LIMITS, type ProxyEvent, startProxy, type Upstreams } from "@palimpsest/observe/proxy";
import { createReplay, type HttpFace, serve } from "@palimpsest/provider-simulator";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { countOf, oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { cacheText } from "./text/notice.ts";

const DEFAULT_PORT = 8_788;
const SERVICES: Upstreams = { anthropic: "https://api.anthropic.com", openai: "https://api.openai.com" };
const ID_CHARACTERS = 8;
/** The delay after which the program explains why it has not ended. */
const SLOW_CLOSE_MS = 300;

/** Forwards agents' requests to their services and reports on them, until the program is interrupted. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.proxy);
  const mode = oneOf("--mode", values.mode, COMMANDS.proxy.options.mode.of) ?? "observe";
  const port = values.port === "0" ? 0 : (countOf("--port", values.port) ?? DEFAULT_PORT);
  const folderOf = (path: string): string => resolve(terminal.folder, path);
  const signal = terminal.interruption();
  if (values.replay !== undefined) {
    const faces = [createReplay({ folder: folderOf(values.replay) }), notRecorded(values.replay)];
    const replay = await serve({ faces, port });
    terminal.say(`Answering from ${values.replay} on ${replay.url}/NAME. Nothing is sent anywhere.`);
    await untilStopped(signal);
    await replay.close();
    return endOf(signal);
  }
  const upstreams = readUpstreams(values.upstream ?? []);
  const logs = values.logs === undefined ? join(agentHomeOf(terminal.environment), "proxy") : folderOf(values.logs);
  const report = values.json === true ? printEvents(terminal) : sayEvents(terminal);
  const proxy = await startProxy({
    upstreams,
    folder: logs,
    mode,
    port,
    record: values.record === undefined ? undefined : folderOf(values.record),
    onEvent: report.onEvent,
  });
  process.on("SIGUSR2", () => {
    proxy.stopEditing();
    terminal.say("From now on, requests are not changed.");
  });
  for (const [name, url] of Object.entries(upstreams)) terminal.say(`${proxy.url}/${name} -> ${url}`);
  terminal.say(`Logs: ${logs}. To see what was spent: palimpsest analyze ${logs}`);
  await untilStopped(signal);
  const slow = setTimeout(() => {
    const seconds = DEFAULT_PROXY_LIMITS.closeMs / 1_000;
    terminal.say(`Open requests have ${seconds} s to end. Press Ctrl-C again to end now, without their logs.`);
  }, SLOW_CLOSE_MS);
  await proxy.close();
  clearTimeout(slow);
  report.end();
  return endOf(signal);
}

/** Answers requests that are not in the recording. */
function notRecorded(folder: string): HttpFace {
  return {
    handle({ method, path }) {
      const message = `${method} ${path} is not in ${folder} with this body. To record it: palimpsest proxy --record ${folder}`;
      const body = { type: "error", error: { type: "not_recorded", message } };
      return { kind: "json", status: 501, headers: {}, body, outcome: { kind: "refused", status: 501, message } };
    },
  };
}

async function untilStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

function endOf({ reason }: AbortSignal): number {
  return reason === EXIT.terminated ? EXIT.done : EXIT.interrupted;
}

function readUpstreams(texts: readonly string[]): Upstreams {
  const added = texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--upstream takes NAME=URL, not ${JSON.stringify(text)}.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return { ...SERVICES, ...Object.fromEntries(added) };
}

interface Report {
  onEvent(event: ProxyEvent): void;
  end(): void;
}

function printEvents(terminal: Terminal): Report {
  return { onEvent: (event) => void terminal.print(JSON.stringify(event)), end: () => {} };
}

/** Prints the events that a person should see at once, and the sums at the end. */
function sayEvents({ say }: Terminal): Report {
  let [responses, usd, lostUsd, lostTokens] = [0, 0, 0, 0];
  /** Repeated failures, which are printed once. */
  const printed = new Set<string>();
  const sayOnce = (text: string): void => {
    if (!printed.has(text)) say(text, "warning");
    printed.add(text);
  };
  const short = (session: string): string => session.slice(0, ID_CHARACTERS);
  return {
    onEvent(event) {
      switch (event.kind) {
        case "session":
          return say(`Session ${short(event.session)} (${event.upstream}): ${event.log}`, "faint");
        case "response":
          responses++;
          usd += event.usd ?? 0;
          return;
        case "break": {
          const { usd: price, ...lost } = event;
          lostTokens += event.rebilledTokens;
          lostUsd += price ?? 0;
          const text = cacheText({ ...lost, rebilledUsd: price });
          return say(`Session ${short(event.session)}: ${text}`, "warning");
        }
        case "stored":
          return say(`Session ${short(event.session)}: stored ${event.bytes} bytes of a tool result in ${event.file}`);
        case "failed":
          return sayOnce(`${event.upstream} answered ${event.status}: ${event.why}`);
        case "passed":
          return sayOnce(`Forwarded without more (${event.why}): ${event.detail}`);
      }
    },
    end() {
      const lost = lostTokens === 0 ? "" : ` Cache misses: ${tokens(lostTokens)} tokens again, ${dollars(lostUsd)}.`;
      say(`${counted(responses, "response")}, ${dollars(usd)} by list prices.${lost}`);
    },
  };
}
