/**
 * Finds out which servers with pending requests refuse datagrams (RFC 3261 18.4). The system
 * reports to a UDP socket that a datagram was refused, but not which one. Anyone can forge such an
 * ICMP error for a well-known port. So each server is then probed with a separate connected socket
 * on a random port: only an ICMP error that quotes this port counts.
 */
import type { Clock } from "../../core/clock.ts";
import type { Unsubscribe } from "../../core/emitter.ts";
import type { Log } from "../../core/log.ts";
import type { Address } from "./flow.ts";

/** A keep-alive (RFC 5626 4.4.1), which a living server ignores. */
const KEEP_ALIVE = "\r\n\r\n";
/** A router, or this machine in its own network, needs 3 s to detect an unreachable host. */
const ASK_MS = 4000;
const ASKED_MAX = 32;

interface Awaited {
  readonly remote: Address;
  readonly listeners: Set<() => void>;
}

export class Refusals {
  readonly #awaited = new Map<string, Awaited>();
  readonly #asked = new Map<string, () => void>();
  #isOpen = true;

  constructor(
    /** Our address. */
    private readonly host: string,
    private readonly deps: { readonly clock: Clock; readonly log: Log },
  ) {}

  /** `listener` is called once, in a later task, when that address is known to refuse datagrams. */
  on(remote: Address, listener: () => void): Unsubscribe {
    const key = keyOf(remote);
    const awaited = this.#awaited.get(key) ?? { remote, listeners: new Set() };
    this.#awaited.set(key, awaited);
    awaited.listeners.add(listener);
    return () => {
      awaited.listeners.delete(listener);
      if (awaited.listeners.size === 0 && this.#awaited.get(key) === awaited)
        this.#awaited.delete(key);
    };
  }

  /** A datagram was refused, or could not be sent to `suspect`. */
  suspect(suspect: Address | null = null): void {
    const key = suspect && keyOf(suspect);
    for (const [known, { remote }] of this.#awaited)
      if (key === null || key === known) void this.#ask(known, remote);
  }

  close(): void {
    this.#isOpen = false;
    this.#awaited.clear();
    for (const end of [...this.#asked.values()]) end();
  }

  async #ask(key: string, { host, port }: Address): Promise<void> {
    if (!this.#isOpen || this.#asked.has(key) || this.#asked.size >= ASKED_MAX) return;
    this.#asked.set(key, () => {});
    const refused = () => {
      this.#asked.get(key)?.();
      this.#asked.delete(key);
      this.deps.log.debug("sip.udp_refused", { server: host });
      const listeners = this.#awaited.get(key)?.listeners ?? [];
      this.#awaited.delete(key);
      for (const listener of listeners) listener();
    };
    // One task later: the caller of `send` expects no callback before `send` has returned.
    await Promise.resolve();
    try {
      const socket = await Bun.udpSocket({
        hostname: this.host,
        connect: { hostname: host, port },
        socket: { error: refused },
      });
      const timer = this.deps.clock.after(ASK_MS, () => end());
      const end = () => {
        timer.cancel();
        socket.close();
        this.#asked.delete(key);
      };
      this.#asked.set(key, end);
      if (this.#isOpen) socket.send(KEEP_ALIVE);
      else end();
    } catch {
      // This machine has no route to it.
      refused();
    }
  }
}

const keyOf = ({ host, port }: Address): string => `${host} ${port}`;
