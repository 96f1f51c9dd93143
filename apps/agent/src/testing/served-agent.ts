/** A module for `palimpsest serve`: a support desk whose model is wherever ANTHROPIC_BASE_URL says. */
import Anthropic from "@anthropic-ai/sdk";
import type { ServedAgent } from "@palimpsest/server";
import { type Permission, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

const provider = anthropic(new Anthropic({ apiKey: "none", maxRetries: 0 }));

const refund = tool({
  name: "refund",
  description: "Pays money back.",
  inputSchema: { type: "object", properties: { usd: { type: "number" } }, required: ["usd"] },
  execute: () => "paid",
});
const permission: Permission = async () => ({ kind: "later", reason: "money leaves" });

export function agent({ tenant }: { readonly tenant: string }): ServedAgent {
  return { provider, model: "claude-opus-5-5", system: `You work for ${tenant}.`, tools: [refund], permission };
}
