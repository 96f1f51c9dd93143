import type { ProviderOf } from "@palimpsest/observe/inspector";
import { UsageError } from "../workspace/usage-error.ts";
import { userModels } from "./connect.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { type Analyses, type Prices, readAnalyses } from "./read-analyses.ts";
import { readArguments, transcriptsPath } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { analysisText, sumText } from "./text/analysis-text.ts";

/** Reports what recorded sessions spent, on what, and the cost of cache misses. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.analyze);
  const path = transcriptsPath(positionals, "analyze");
  const analyses = await readAnalyses(path, readPrices(values.price ?? []));
  const [first] = analyses.sessions;
  for (const { path: file, why } of analyses.unknown) terminal.say(`${file}: ${why}`);
  if (first === undefined) {
    terminal.say(`${path} contains no session. To find sessions on this machine: palimpsest sessions --from AGENT.`);
    return EXIT.failed;
  }
  if (values.html !== undefined) {
    const { exportAnalyses } = await import("./export-analyses.ts");
    const { offlineByName } = await import("./connect.ts");
    const { printProgress, writePage } = await import("./write-page.ts");
    const models = await userModels(terminal.environment);
    const providerOf: ProviderOf = (name) => offlineByName(name, models);
    const page = await exportAnalyses(analyses, providerOf, printProgress(terminal));
    await writePage(values.html, page, { terminal, inspect: `palimpsest inspect ${path}` });
  }
  if (values.json) await terminal.print(JSON.stringify(toJson(analyses)));
  else if (values.html === undefined) {
    const { sum, sessions } = analyses;
    const text =
      sum.sessions === 1 ? analysisText(first.analysis, terminal.columns) : sumText(sum, sessions, terminal.columns);
    await terminal.print(text);
  }
  return EXIT.done;
}

/** One session is complete. Several sessions have the sums, and each session without its window over time. */
function toJson({ sum, sessions }: Analyses): unknown {
  const [first] = sessions;
  if (sum.sessions === 1 && first !== undefined) return { path: first.path, ...first.analysis };
  const each = sessions.map(({ analysis: { points, ...analysis }, ...file }) => ({ ...file, ...analysis }));
  return { ...sum, expensiveSessions: each };
}

/**
 * Reads prices in US dollars per million tokens: input, output, cache read, and cache write if it costs more than
 * input.
 */
function readPrices(texts: readonly string[]): Prices {
  return new Map(
    texts.map((text) => {
      const [model = "", list = ""] = text.split("=");
      const [input, output, cacheRead, cacheWrite = input] = list.split(",").map(Number);
      const all = [input, output, cacheRead, cacheWrite];
      if (model === "" || all.some((price) => price === undefined || !(price >= 0))) {
        throw new UsageError(
          `--price takes MODEL=INPUT,OUTPUT,READ[,WRITE] in US dollars per million tokens, not ${JSON.stringify(text)}.`,
        );
      }
      return [
        model,
        { input: input!, output: output!, cacheRead: cacheRead!, cacheWrite5m: cacheWrite!, cacheWrite1h: cacheWrite! },
      ];
    }),
  );
}
