/**
 * A policy of one's own for an agent that reads many long sources: findings and where they are from must survive, pages need not.
 * Nobody has measured these numbers: copy them as a beginning, and compare.
 */
import {
  anyOf,
  coding,
  type Decision,
  decide,
  economic,
  everything,
  evidence,
  headByPauses,
  matching,
  type Policy,
  quotedLines,
  sections,
  storeBySize,
  toFit,
  userMessages,
  WEIGH,
  whenCold,
  whenWarm,
  window,
} from "palimpsest/policy";
import { stateOf, testPolicy } from "palimpsest/testing";

const SECTIONS = {
  Question: "What is to be found out, for whom, in what form.",
  Findings: "Each finding with its source (URL or document), exact figures and date.",
  Contradictions: "Where sources disagree, and which one is trusted why.",
  "Dead ends": "Searches and sources that gave nothing.",
  Open: "What is still to be looked up, in order.",
};
const SOURCES = /https?:\/\/[^\s"'<>)\]]{4,300}/;

function research(keepNewest = 3): Policy {
  return {
    name: "research",
    store: storeBySize({ thresholdCharacters: 30_000 }),
    // Pages are read once, so clearing them pays earlier than in a coding session, even in a warm cache.
    clear: [
      whenCold({ keepNewest }),
      whenWarm({ keepNewest, minTokens: 20_000, horizonRequests: 30 }),
      toFit({ keepNewest, toShare: 0.6 }),
    ],
    compact: {
      when: anyOf(window(), economic({ fromTokens: 100_000, inTurnFromTokens: 140_000 })),
      range: everything,
      summary: sections(SECTIONS, { required: ["Findings"] }),
      keep: [
        matching(SOURCES, {
          name: "sources",
          heading: "Sources that were used:",
          maxTokens: 4_000,
          in: ["model", "tool"],
        }),
        quotedLines({ maxTokens: 12_000 }),
        userMessages({ maxTokens: 10_000 }),
        evidence({ maxTokens: 4_000 }),
      ],
      expect: { keptTokens: 24_000, outputTokens: 5_000, comesBack: { tokens: 6_000, requests: 1 } },
      patience: "wait",
      minShrinkShare: 0.2,
    },
    cache: headByPauses(),
    weigh: WEIGH,
  };
}

// Pass the value to `openSession({ policy: research() })`. To try it without a model, ask what it decides about made-up windows.
const problems = testPolicy(research(), { maxMs: 50 });
if (problems.length > 0) throw new Error(problems.join("\n"));

function show(about: string, decisionOf: (policy: Policy) => Decision): void {
  for (const policy of [research(), coding()]) console.log(`${about}, ${policy.name}: ${decisionOf(policy).because}`);
}
const pages = { results: 30, resultTokens: 2_500, sort: "fetch" } as const;
show("90,000 tokens, cached", (policy) => decide(policy, stateOf({ tokens: 90_000, ...pages })));
show("90,000 tokens, two hours later", (policy) =>
  decide(policy, stateOf({ tokens: 90_000, cache: "cold", ...pages })),
);
show("145,000 tokens in a turn", (policy) => decide(policy, stateOf({ tokens: 145_000, turn: "open", ...pages })));
