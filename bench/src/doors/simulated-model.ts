import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  createOpenAiResponses,
  type HttpFace,
  openAiModels,
  type Script,
  type SimulatorServer,
  serve,
  summarize,
  think,
} from "@palimpsest/provider-simulator";

/** The services that doors are led to, and their models. */
export const MODELS = { messages: "claude-opus-5-5", responses: "gpt-5.2" } as const;
export type SimulatedApi = keyof typeof MODELS;
export const INSTRUCTIONS = "You are a careful engineer. Read before you answer.";
export const TOOL = {
  name: "read_file",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] as string[] },
} as const;

const LINE = "export const value = await readValue({ line: 17, column: 4, from: source });\n";

/**
 * The tool. One file in seven does not exist, and the call fails; none of the first, which are also read without Palimpsest: what
 * frameworks make of a failure would be refused there.
 */
export function readFile(path: string): string {
  const number = Number(/\d+/.exec(path)?.[0] ?? 0);
  if (number > 60 && number % 7 === 3) throw new Error(`No such file: ${path}`);
  return `// ${path}\n${LINE.repeat(8 + (number % 9) * 4)}`;
}

/** A model that thinks, reads one to three files at once, now and then twice in a turn, and then answers. */
const thinking: Script = ({ userText, toolResults, turn }) => {
  if (userText.includes("nine sections")) return summarize("They read files of the project, one after the other.");
  const isEnough = toolResults.length > 0 && turn % 5 > 0;
  if (isEnough) return answer(`Read it. ${"It is fine. ".repeat(turn % 5)}`);
  const files = Array.from({ length: 1 + (turn % 3) }, (_, at) => callTool(TOOL.name, { path: `src/${turn + at}.ts` }));
  return think(`Turn ${turn}: files will tell.`, callTools(...files));
};

/** The same without thinking, for agents without Palimpsest: signed thinking is refused where a framework rearranges what it sends back. */
const plain: Script = (asked) => {
  const { words, ...rest } = thinking(asked);
  return { ...rest, words: words.filter(({ kind }) => kind !== "thinking") };
};

/** A service with a small window, so that some hundred turns fill it several times. */
export function serveModel(
  service: SimulatedApi,
  windowTokens: number,
  thoughts: "signed" | "none" = "signed",
): Promise<SimulatorServer> {
  return serve({ faces: [faceOf(service, windowTokens, thoughts === "none" ? plain : thinking)] });
}

function faceOf(service: SimulatedApi, windowTokens: number, script: Script): HttpFace {
  const id = MODELS[service];
  if (service === "messages") {
    const model = ANTHROPIC_MODELS.find((one) => one.id === id)!;
    return createAnthropic({ script, models: [{ ...model, windowTokens }] });
  }
  const models = { [id]: { ...openAiModels[id]!, windowTokens, maxInputTokens: windowTokens } };
  return createOpenAiResponses({ script, models });
}
