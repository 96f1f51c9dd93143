import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ExportedPage,
  type ExportOptions,
  exportSessions,
  type ProviderOf,
  transcriptSource,
} from "@palimpsest/observe/inspector";
import type { Analyses } from "./read-analyses.ts";

/**
 * Creates one page with analyzed sessions: the inspector's page with the sessions inside. Removes the temporary logs at
 * the end.
 */
export async function exportAnalyses(
  { sum, sessions }: Analyses,
  providerOf: ProviderOf,
  onProgress: NonNullable<ExportOptions["onProgress"]>,
): Promise<ExportedPage> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-analyze-"));
  try {
    const find = async function* () {
      yield* sessions;
    };
    const source = transcriptSource({ find, folder });
    return await exportSessions({
      sources: [source],
      providerOf,
      sessions: sessions.map((one) => ({ key: source.keyOf(one), name: one.path, analysis: one.analysis })),
      sum,
      onProgress,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
