import { execFileSync } from "node:child_process";
import { STREAM_SCHEMA } from "../../apps/agent/src/commands/stream/stream-schema.ts";
import { AGENT_SETTINGS } from "../../apps/agent/src/permissions/settings-schema.ts";
import { SETTINGS } from "../../packages/palimpsest/src/settings/definitions.ts";
import { openApiDocument } from "../../packages/server/src/open-api-document.ts";
import { installed } from "../run-step.ts";
import { streamPage } from "./stream-page.ts";

const DIALECT = { $schema: "http://json-schema.org/draft-07/schema#" };

const engine = {
  type: "object",
  description: "Settings of the engine: engine.json in PALIMPSEST_HOME, or the settings file of a session.",
  additionalProperties: false,
  properties: {
    $schema: { type: "string", description: "Where this schema is, for editors." },
    ...SETTINGS,
  },
};

/**
 * The JSON schemas of the settings files and of the events of stream-json, the page about those events, and the OpenAPI document: all
 * from the tables that the programs themselves use.
 */
export function schemas(): Readonly<Record<string, string>> {
  const documents = {
    "apps/agent/settings.schema.json": { ...DIALECT, ...AGENT_SETTINGS },
    "apps/agent/engine.schema.json": { ...DIALECT, ...engine },
    "apps/agent/stream.schema.json": { ...DIALECT, ...STREAM_SCHEMA },
    "packages/server/openapi.json": openApiDocument(),
  };
  const texts = Object.entries(documents).map(([path, document]) => {
    const options = { input: JSON.stringify(document), encoding: "utf8" } as const;
    return [path, execFileSync(installed("biome"), ["format", `--stdin-file-path=${path}`], options)] as const;
  });
  return { ...Object.fromEntries(texts), "docs/stream-json.md": streamPage(STREAM_SCHEMA) };
}
