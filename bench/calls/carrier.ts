/** The carrier's separate process; carrier-process.ts controls it. Exits with its parent. */
import { startCarrier } from "../../src/demo/carrier/carrier.ts";
import type { CarrierAnswer, CarrierOrder } from "./carrier-process.ts";

const carrier = await startCarrier({
  host: process.argv[2] ?? "127.0.0.1",
  domain: "carrier.test",
});
const say = (answer: CarrierAnswer) => process.send?.(answer);

process.on("message", async (order: CarrierOrder) => {
  if (order.kind === "add") carrier.addSubscriber(order.subscriber);
  else
    await carrier.registered(order.username, order.timeoutMs).then(
      () => say({ kind: "registered", username: order.username }),
      (error: unknown) => say({ kind: "missing", username: order.username, error: String(error) }),
    );
});
process.on("disconnect", () => process.exit(0));
say({ kind: "ready", address: carrier.address });
