// A conversation as parts see it, for the tests of parts.

import { HOST, type Provenance, USER } from "../../log/provenance.ts";
import type { KeepPart, LogMessage } from "../../policy/policy.ts";
import { stateOf } from "../../policy/testing.ts";
import type { Surroundings } from "../../state/host-content.ts";
import { readEvidence } from "../evidence/state.ts";
import { composeMessage } from "./compose.ts";
import { withFloor } from "./floor.ts";
import { createCollectors, type EngineMaterial } from "./knowledge.ts";
import { createLoader, preparePart, type RenderedParts, renderParts, wordsOf } from "./render.ts";

export const countTokens = (text: string): number => Math.ceil(text.length / 4);

export function logMessage(entry: number, text: string, provenance: Provenance = USER): LogMessage {
  return { entry, text, provenance, tokens: countTokens(text), tool: undefined, media: [] };
}

interface Given extends Partial<EngineMaterial> {
  readonly roomTokens?: number;
  readonly surroundings?: Surroundings;
  readonly messages?: readonly LogMessage[];
  readonly keptText?: string;
}

interface ShownParts extends RenderedParts {
  /** The message and the attachments as one text. */
  readonly all: string;
}

/** Plans, loads and renders parts together with the floor. */
export async function showParts(keep: readonly KeepPart[], given: Given = {}): Promise<ShownParts> {
  const { roomTokens = 10_000, surroundings = {}, messages = [], keptText = "", ...more } = given;
  const material: EngineMaterial = {
    state: stateOf({ tokens: 100_000 }),
    summary: "A summary.",
    turn: "closed",
    compacted: messages,
    kept: [],
    userMessages: messages.filter(({ provenance }) => provenance === USER),
    collected: null,
    evidence: readEvidence(undefined),
    pins: [],
    agents: [],
    work: [],
    shownFiles: new Set<string>(),
    ...more,
  };
  const parts = withFloor(keep);
  const collectors = createCollectors(parts, {});
  for (const message of messages) collectors.take(message, "all");
  const loader = createLoader(surroundings, { countTokens, countMedia: () => 100 });
  const collected = collectors.state();
  const prepared = await Promise.all(parts.map((part) => preparePart(part, material, { collected, loader })));
  const { summary } = material;
  const rendered = renderParts(prepared, {
    roomTokens,
    keptText,
    summary,
    isWritten: summary !== undefined,
    countTokens,
    tokensOf: (text) => countTokens(wordsOf(text)) + (text.media ?? []).length * 100,
  });
  const texts = rendered.texts.filter(({ attachment }) => attachment === undefined);
  const behind = rendered.texts.filter(({ attachment }) => attachment !== undefined);
  const message = composeMessage({ preamble: "auto", summary, recallHint: "", texts });
  const all = [...message.map(({ text }) => text), ...behind.map(wordsOf)].join("\n\n");
  return { ...rendered, failures: [...collectors.failures, ...rendered.failures], all };
}

/** A part that shows one text of the host. */
export function partOf(name: string, part: Partial<KeepPart>): KeepPart {
  return {
    name,
    budget: { maxTokens: 1_000, share: 0.2 },
    plan: () => [{ key: "1", from: { kind: "text", text: `Text of ${name}.`, provenance: HOST } }],
    render: (items) => items.map(({ text, provenance }) => ({ heading: "", text, provenance })),
    ...part,
  };
}
