import { ABOVE_EXPERIMENTS } from "./above-engine.ts";
import { dream } from "./drives/memory.ts";
import { proposeAndWrite } from "./drives/proposing.ts";
import { testSide } from "./test-side.ts";

testSide({ side: "above-engine", experiments: ABOVE_EXPERIMENTS, telling: [dream, proposeAndWrite] });
