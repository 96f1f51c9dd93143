import { ANTHROPIC_MODELS, geminiModels, openAiModels, type Prices } from "@palimpsest/provider-simulator";

export type Via = "agent" | "library";
export type Api = "anthropic" | "openai" | "bedrock" | "gemini";

/** One program on one model. */
export interface Row {
  readonly via: Via;
  readonly api: Api;
  /** The name of the model in requests. */
  readonly model: string;
  /** The prices at which the simulator bills this model. */
  readonly prices: Prices;
}

const claude = (id: string): Prices => ANTHROPIC_MODELS.find((model) => model.id === id)!.prices;

const MODELS = {
  sonnet: { api: "anthropic", model: "claude-sonnet-5-5", prices: claude("claude-sonnet-5-5") },
  sol: { api: "openai", model: "gpt-6-sol", prices: openAiModels["gpt-6-sol"]!.prices },
  bedrock: { api: "bedrock", model: "global.anthropic.claude-sonnet-5", prices: claude("claude-sonnet-5") },
  flash: { api: "gemini", model: "gemini-3.8-flash", prices: geminiModels["gemini-3.8-flash"]!.prices },
} as const;

/** The agent runs on its default model of each provider, without an option. The library also runs on Gemini. */
export const ROWS: readonly Row[] = [
  { via: "agent", ...MODELS.sonnet },
  { via: "agent", ...MODELS.sol },
  { via: "agent", ...MODELS.bedrock },
  { via: "library", ...MODELS.sonnet },
  { via: "library", ...MODELS.sol },
  { via: "library", ...MODELS.bedrock },
  { via: "library", ...MODELS.flash },
];

export function nameOf({ via, model }: Pick<Row, "via" | "model">): string {
  return `${via} ${model}`;
}

/** The rows of a run: all, one for each program, or those whose name contains the text. */
export function chooseRows(size: "full" | "quick", only = ""): readonly Row[] {
  const named = ROWS.filter((row) => nameOf(row).includes(only));
  if (named.length === 0) throw new Error(`No row contains "${only}". The rows are: ${ROWS.map(nameOf).join(", ")}.`);
  if (size === "full") return named;
  return named.filter(({ via }, index) => named.findIndex((one) => one.via === via) === index);
}

/** Variables with which a client of the row's provider calls the simulator. */
export function clientEnvironment({ api }: Pick<Row, "api">, url: string): Readonly<Record<string, string>> {
  switch (api) {
    case "anthropic":
      return { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url };
    case "openai":
      return { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1` };
    case "bedrock":
      return {
        AWS_BEARER_TOKEN_BEDROCK: "none",
        AWS_REGION: "us-east-1",
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
      };
    case "gemini":
      return { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url };
  }
}
