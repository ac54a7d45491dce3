/**
 * The demo's carrier in a separate process, so that only the appliance is measured. Same interface
 * as the carrier itself. The caller must close it.
 */
import { fileURLToPath } from "node:url";
import type { Carrier } from "../../src/demo/carrier/carrier.ts";

export type Subscriber = Parameters<Carrier["addSubscriber"]>[0];

export type CarrierOrder =
  | { readonly kind: "add"; readonly subscriber: Subscriber }
  | { readonly kind: "await"; readonly username: string; readonly timeoutMs: number };

export type CarrierAnswer =
  | { readonly kind: "ready"; readonly address: Carrier["address"] }
  | { readonly kind: "registered"; readonly username: string }
  | { readonly kind: "missing"; readonly username: string; readonly error: string };

export async function startCarrierProcess(host: string): Promise<Carrier> {
  const ready = Promise.withResolvers<Carrier["address"]>();
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const registered = new Set<string>();
  const child = Bun.spawn(
    [process.execPath, fileURLToPath(new URL("./carrier.ts", import.meta.url)), host],
    { stdout: "inherit", stderr: "inherit", ipc: receive },
  );

  function receive(answer: CarrierAnswer): void {
    if (answer.kind === "ready") ready.resolve(answer.address);
    else if (answer.kind === "registered") {
      registered.add(answer.username);
      waiting.get(answer.username)?.resolve();
    } else waiting.get(answer.username)?.reject(new Error(answer.error));
  }

  const order = (what: CarrierOrder) => child.send(what);
  return {
    address: await ready.promise,
    domain: "carrier.test",
    addSubscriber: (subscriber) => order({ kind: "add", subscriber }),
    isRegistered: (username) => registered.has(username),
    registered(username, timeoutMs) {
      const wait = Promise.withResolvers<void>();
      waiting.set(username, wait);
      order({ kind: "await", username, timeoutMs });
      return wait.promise;
    },
    close: () => child.disconnect(),
  };
}
