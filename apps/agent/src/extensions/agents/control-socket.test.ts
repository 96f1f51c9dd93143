import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendToSocket } from "@palimpsest/coordination";
import { expect, onTestFinished, test } from "vitest";
import { giveOrder, takeOrders } from "./control-socket.ts";

async function listening() {
  const folder = mkdtempSync(join(tmpdir(), "control-"));
  const path = join(folder, "s.sock.control");
  const orders: unknown[] = [];
  const agents = {
    stop: async (id: string) => {
      orders.push(["stop", id]);
      return "stopped" as const;
    },
    send: async (to: string, text: string) => {
      orders.push(["send", to, text]);
      return { kind: "sent" as const, to: [to], woken: [] };
    },
  };
  const control = await takeOrders(path, agents as never, { watch() {} } as never);
  onTestFinished(async () => {
    await control.close();
    rmSync(folder, { recursive: true });
  });
  return { path, orders, control };
}

test("carries out the user's orders", async () => {
  const { path, orders, control } = await listening();
  expect(await giveOrder(path, { kind: "stop", id: "worker-1" })).toBe("done");
  expect(orders).toEqual([["stop", "worker-1"]]);
  expect(statSync(`${path}.key`).mode & 0o777).toBe(0o600);
  await control.close();
  expect(await giveOrder(path, { kind: "watch" })).toBe("absent");
});

test("rejects a message to the control socket, so that a model cannot send orders", async () => {
  const { path, orders } = await listening();
  const message = { id: "1", from: "main", body: JSON.stringify({ kind: "stop", id: "worker-1" }) };
  expect(await sendToSocket({ path, message })).toMatchObject({ kind: "failed", because: "refused" });
  expect(await sendToSocket({ path, message, token: "0".repeat(64) })).toMatchObject({ kind: "failed" });
  expect(orders).toEqual([]);
});
