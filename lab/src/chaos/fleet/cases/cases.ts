import { clockJump } from "./clock-case.ts";
import { deploy } from "./deploy-case.ts";
import type { FleetCase } from "./fleet-case.ts";
import { fullDisk } from "./full-disk-case.ts";
import { herd } from "./herd-case.ts";
import { killedInEachPhase, killedInTools, killedWhileTakingIn } from "./kill-cases.ts";
import { partition, slowNetwork, zombie } from "./network-cases.ts";
import { poison } from "./poison-case.ts";

export const CASES: readonly FleetCase[] = [
  killedInEachPhase,
  killedInTools,
  killedWhileTakingIn,
  slowNetwork,
  partition,
  zombie,
  poison,
  herd,
  deploy,
  clockJump,
  fullDisk,
];
