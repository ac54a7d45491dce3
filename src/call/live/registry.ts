/** Live calls of this process. Bounded by admission. */
import type { LiveCall, LiveCallList } from "./live-call.ts";

export class CallRegistry implements LiveCallList {
  readonly #calls = new Map<string, LiveCall>();

  readonly #listeners: ((call: LiveCall) => void)[] = [];

  /** Calls the listener when a call is over and its place is free. */
  onRemoved(listener: (call: LiveCall) => void): void {
    this.#listeners.push(listener);
  }

  add(call: LiveCall): void {
    this.#calls.set(call.identity.callUuid, call);
  }

  remove(call: LiveCall): void {
    this.#calls.delete(call.identity.callUuid);
    for (const listener of this.#listeners) listener(call);
  }

  find(tenantId: number, callUuid: string): LiveCall | undefined {
    const call = this.#calls.get(callUuid);
    return call?.identity.tenantId === tenantId ? call : undefined;
  }

  get size(): number {
    return this.#calls.size;
  }

  get all(): readonly LiveCall[] {
    return [...this.#calls.values()];
  }
}
