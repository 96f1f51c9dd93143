export { type QueueSchedulerOptions, queueScheduler } from "./queue-scheduler.ts";
export type { RunEnded, TurnOptions } from "./run-turns.ts";
export type { Drained, Scheduler, ServeOptions, Serving, SessionTarget, Work, WorkRun } from "./scheduler.ts";
export {
  type AgentReport,
  type AgentUsage,
  type ReplyTo,
  type Said,
  type SaidBy,
  type SessionInput,
  type StopRequest,
  say,
  stop,
} from "./session-input.ts";
export type { SessionTimer, TimerContext } from "./session-timer.ts";
export {
  createSessionWorker,
  type SessionWorker,
  type SessionWorkerOptions,
  type StepSignals,
  type TurnContext,
} from "./session-worker.ts";
export { type AgentTask, agentTool, type StartedAgent, startAgent } from "./start-agent.ts";
