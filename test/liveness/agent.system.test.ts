import { AGENT_EXPERIMENTS } from "./agent/engine.ts";
import { testSide } from "./test-side.ts";

testSide({ side: "agent", experiments: AGENT_EXPERIMENTS, telling: [] });
