import {
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  type Script,
  type SimulatorServer,
  serve,
} from "@palimpsest/provider-simulator";

/** Every provider, simulated on one port, with one script for their models. */
export function serveProviders(script: Script): Promise<SimulatorServer> {
  return serve({
    faces: [createAnthropic({ script }), createOpenAiResponses({ script }), createOpenAiChat({ script })],
  });
}
