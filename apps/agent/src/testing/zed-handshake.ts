import type { InitializeRequest } from "@agentclientprotocol/sdk";

/** The first message of Zed 1.13.2, as a public trace of a session in August 2026 has it. */
export const ZED_INITIALIZE: InitializeRequest & Required<Pick<InitializeRequest, "clientCapabilities">> = {
  protocolVersion: 1,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    session: { configOptions: { boolean: {} } },
    auth: { terminal: true },
    elicitation: { form: {}, url: {} },
    _meta: { terminal_output: true, "terminal-auth": true },
  },
  clientInfo: { name: "zed", title: "Zed", version: "1.13.2+stable" },
};
