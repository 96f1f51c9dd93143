import { createAgents } from "@palimpsest/agents";
import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import type { Drive } from "../experiment.ts";
import { openWorld, prose, TOOLS } from "../world.ts";

const TASK = /count the files of (\w+)/;
const LOOKS = 3;

/** An agent that looks a few times, and has much to say then. */
function agentsMind({ request }: Ask): Reply | undefined {
  const messages = request["messages"] as readonly { readonly role: string }[];
  const task = TASK.exec(JSON.stringify(messages[0]))?.[1];
  if (task === undefined) return undefined;
  const rounds = messages.filter(({ role }) => role === "assistant").length;
  return rounds < LOOKS
    ? callTools(callTool("Read", { file_path: `${task}${rounds}`, words: 300 }))
    : answer(prose(`${task}-`, 1_000));
}

/** Agents in the background; their reports come with the next turn. */
export const workWithAgents: Drive = async (values, witness) => {
  const world = openWorld(values, witness, { mind: agentsMind });
  const { store, clock } = world;
  const session = await world.open();
  let ids = 0;
  const agents = createAgents({
    session,
    store,
    clock,
    tools: TOOLS,
    readOnlyTools: ["Read"],
    createId: () => `a${++ids}`,
    openChild: ({ id, system = "", model = world.model }) => world.open({ id, system, model }),
  });
  const atWork = new Set<string>();
  let mostAtWork = 0;
  const done: Promise<unknown>[] = [];
  for (const place of ["home", "lib", "docs"]) {
    const prompt = `Please count the files of ${place}.`;
    const started = await agents.start({ prompt, description: place, way: "background" });
    if (started.kind === "refused") continue;
    agents.follow(started.id, () => {
      atWork.add(place);
      mostAtWork = Math.max(mostAtWork, atWork.size);
    });
    done.push(started.done.then(() => atWork.delete(place)));
  }
  await Promise.all(done);
  const tools = [...TOOLS, ...agents.tools];
  await world.turn(session, "What have they found?", [], { tools, inbox: agents.inbox });
  await agents.close();
  await session.close();
  return { sent: [...world.sent].sort(), mostAtWork };
};
