import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";
import { BETAS } from "../request.ts";

const hello = [{ role: "user", content: "Hello" }];
const judge = (fields: object, ...betas: string[]) => {
  const request = { model: "claude-opus-5-5", max_tokens: 100, messages: hello, ...fields };
  const verdict = createAnthropic().judge(request, { betas });
  return verdict.kind === "refused" ? verdict.message : "accepted";
};
const server = { type: "url", name: "files", url: "https://example.org/mcp" };
const format = { type: "json_schema", schema: { type: "object" } };
const structured = "structured-outputs-2025-11-13";
const [mcp] = BETAS.mcp;
const [fallback] = BETAS.fallbacks;

test.each<[string, object, readonly string[]]>([
  [
    "mcp_servers",
    { mcp_servers: [server, { ...server, authorization_token: "t", tool_configuration: null }] },
    BETAS.mcp,
  ],
  ["fallbacks", { fallbacks: [{ model: "claude-opus-5", max_tokens: 5, speed: "fast" }] }, BETAS.fallbacks],
  ["fallbacks", { fallbacks: "default" }, BETAS.fallbacks],
  ["output_format", { output_format: format }, [structured]],
])("1.1 %s is accepted under its betas, and unknown without", (field, fields, betas) => {
  for (const beta of betas) expect(judge(fields, beta)).toBe("accepted");
  expect(judge(fields)).toBe(`${field}: Extra inputs are not permitted`);
});

test.each<[object, string]>([
  [{ mcp_servers: {} }, "mcp_servers: Input should be a valid list"],
  [{ mcp_servers: [1] }, "mcp_servers.0: Input should be a valid dictionary"],
  [{ mcp_servers: [{ ...server, type: "stdio" }] }, "mcp_servers.0.type: Input should be 'url'"],
  [{ mcp_servers: [server, { ...server, url: 1 }] }, "mcp_servers.1.url: Field required"],
  [{ mcp_servers: [{ ...server, port: 1 }] }, "mcp_servers.0.port: Extra inputs are not permitted"],
  [{ fallbacks: "best" }, "fallbacks: Input should be a valid list"],
  [{ fallbacks: ["claude-opus-5"] }, "fallbacks.0: Input should be a valid dictionary"],
  [{ fallbacks: [{ max_tokens: 1 }] }, "fallbacks.0.model: Field required"],
  [{ fallbacks: [{ model: "m", system: "s" }] }, "fallbacks.0.system: Extra inputs are not permitted"],
  [{ output_format: "json" }, "output_format: Input should be a valid dictionary"],
  [{ output_format: { type: "text" } }, "output_format.type: Input should be 'json_schema'"],
  [{ output_format: { type: "json_schema" } }, "output_format.schema: Field required"],
  [{ output_format: format, max_tokens: 0 }, "max_tokens: 0 is not supported together with `output_config.format`"],
])("1.1 %j is refused", (fields, message) => {
  expect(judge(fields, mcp, fallback, structured)).toBe(message);
});

test("1.1 only what is counted is taken for counting", () => {
  const count = (fields: object) =>
    createAnthropic().countTokens(
      { model: "claude-opus-5-5", messages: hello, ...fields },
      { betas: [mcp, fallback, structured] },
    );
  expect(count({ mcp_servers: [server], output_format: format })).toHaveProperty("inputTokens");
  expect(count({ fallbacks: "default" })).toHaveProperty("message", "fallbacks: Extra inputs are not permitted");
});

test("1.3 the toolset of a server needs no name of its own", () => {
  const tools = [{ type: "mcp_toolset", mcp_server_name: "files" }];
  expect(judge({ mcp_servers: [server], tools }, mcp)).toBe("accepted");
  expect(judge({ tools })).toBe("tools.0.name: Field required");
  expect(judge({ tools: [{ type: "mcp_toolset" }] }, mcp)).toBe("tools.0.mcp_server_name: Field required");
  const choice = { tools, tool_choice: { type: "tool", name: "anything" }, model: "claude-opus-5" };
  expect(judge(choice, mcp)).toBe("accepted");
});

const effort = "mid-conversation-output-config-2026-07-01";
const said = (message: object) => ({ messages: [...hello, message] });

test("1.7 a system message may set the effort from there on, with words or without", () => {
  const message = { role: "system", content: "Think.", output_config: { effort: "max" } };
  expect(judge(said(message), effort)).toBe("accepted");
  expect(judge(said({ ...message, output_config: {} }), effort)).toBe("accepted");
  expect(judge(said({ role: "system", output_config: { effort: "low" } }), effort)).toBe("accepted");
  expect(judge(said({ role: "system", output_config: { effort: "low" } }))).toBe("messages.1.content: Field required");
  expect(judge(said(message))).toBe("messages.1.output_config: Extra inputs are not permitted");
  expect(judge(said({ ...message, role: "user" }), effort)).toBe(
    "messages.1.output_config: Extra inputs are not permitted",
  );
  expect(judge(said({ role: "system", output_config: {} }), effort)).toMatch(/^messages.1: all messages must have/);
  expect(judge(said({ ...message, output_config: { effort: "some" } }), effort)).toMatch(
    /^messages.1.output_config.effort: Input should be 'low'/,
  );
  expect(judge(said({ ...message, output_config: { format } }), effort)).toBe(
    "messages.1.output_config.format: Extra inputs are not permitted",
  );
  expect(judge(said({ ...message, output_config: 1 }), effort)).toBe(
    "messages.1.output_config: Input should be a valid dictionary",
  );
});
