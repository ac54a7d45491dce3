/** Idle connections for further requests to the same host, the newest of a host first. */
import type { HttpConnection } from "./http-connection.ts";

const IDLE_MS = 1000;
/** Per host, which may serve many endpoints. Equals the number of concurrent deliveries. */
const PER_HOST_MAX = 256;

export class KeptConnections {
  readonly #idle = new Map<string, HttpConnection[]>();

  get hosts(): number {
    return this.#idle.size;
  }

  take(host: string): HttpConnection | null {
    const idle = this.#idle.get(host) ?? [];
    let connection = idle.pop();
    while (connection && !connection.isOpen) connection = idle.pop();
    if (idle.length === 0) this.#idle.delete(host);
    return connection ?? null;
  }

  keep(host: string, connection: HttpConnection): void {
    const idle = this.#idle.get(host) ?? [];
    connection.rest(IDLE_MS, () => this.#drop(host, connection));
    if (idle.push(connection) > PER_HOST_MAX) idle.shift()?.destroy();
    this.#idle.set(host, idle);
  }

  /** Also removes the host, which may never get another request. */
  #drop(host: string, closed: HttpConnection): void {
    const idle = (this.#idle.get(host) ?? []).filter((connection) => connection !== closed);
    if (idle.length > 0) this.#idle.set(host, idle);
    else this.#idle.delete(host);
  }
}
