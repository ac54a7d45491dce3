/**
 * Limits concurrent deliveries, in all and per endpoint. Each endpoint has a few slots. A failing endpoint, or
 * one without a successful delivery so far, has one slot, so that a dead or slow endpoint does not delay
 * others. All failing endpoints together get at most half of the slots. An endpoint receives the events of one
 * call one at a time, in order.
 *
 * An answered delivery frees its slot in the total at once. It keeps the slot of its endpoint until its outcome
 * is stored, because the endpoint's health and next event depend on it.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Busy, DueDelivery } from "./stores.ts";

interface CapacityLimits {
  /** Maximum deliveries in flight. */
  readonly total: number;
  /** Maximum answered deliveries whose outcome is not stored yet. */
  readonly unstored: number;
  readonly perEndpoint: number;
}

type Target = Pick<DueDelivery, "webhookId" | "legacyUrl" | "callUuid" | "failingSince">;

const endpointOf = (target: Target): string =>
  target.webhookId === null ? `url ${target.legacyUrl}` : `id ${target.webhookId}`;

/** More endpoints than are likely per hour. An evicted endpoint has one slot again. */
const PROVEN_MAX = 10_000;

interface Endpoint {
  readonly webhookId: number | null;
  readonly legacyUrl: string | null;
  active: number;
  limit: number;
}

export class DeliveryLimiter {
  readonly #endpoints = new Map<string, Endpoint>();
  /** Endpoints whose last delivery succeeded. */
  readonly #proven = new BoundedMap<string, true>(PROVEN_MAX);
  /** Endpoint and call of the deliveries in progress. */
  readonly #calls = new Set<string>();
  #active = 0;
  /** Answered deliveries among `#active`. */
  #answered = 0;
  #failing = 0;

  constructor(private readonly limits: CapacityLimits) {}

  get free(): number {
    const { total, unstored } = this.limits;
    return total + Math.min(this.#answered, unstored) - this.#active;
  }

  get #failingFull(): boolean {
    return this.#failing >= Math.ceil(this.limits.total / 2);
  }

  /** Takes a slot. Returns false if none is free, or if the endpoint is busy with this call. */
  acquire(target: Target): boolean {
    const key = endpointOf(target);
    const endpoint = this.#endpoints.get(key) ?? {
      webhookId: target.webhookId,
      legacyUrl: target.legacyUrl,
      active: 0,
      limit: 1,
    };
    endpoint.limit = this.#limitOf(target);
    const call = target.callUuid === null ? null : `${key} ${target.callUuid}`;
    if (this.free === 0 || endpoint.active >= endpoint.limit) return false;
    if (target.failingSince !== null && this.#failingFull) return false;
    if (call !== null && this.#calls.has(call)) return false;
    endpoint.active++;
    this.#active++;
    if (target.failingSince !== null) this.#failing++;
    this.#endpoints.set(key, endpoint);
    if (call !== null) this.#calls.add(call);
    return true;
  }

  /** Marks an acquired delivery as answered; `release` follows. */
  answered(): void {
    this.#answered++;
  }

  /** Records whether the endpoint accepted the delivery. */
  learn(target: Target, delivered: boolean): void {
    const key = endpointOf(target);
    if (delivered) this.#proven.set(key, true);
    else this.#proven.delete(key);
    const endpoint = this.#endpoints.get(key);
    if (endpoint) endpoint.limit = this.#limitOf(target);
  }

  #limitOf(target: Target): number {
    const isProven = target.failingSince === null && this.#proven.has(endpointOf(target));
    return isProven ? this.limits.perEndpoint : 1;
  }

  /** Frees the slot of an unsent delivery. */
  returnUnsent(target: Target): void {
    this.answered();
    this.release(target);
  }

  /** Frees the slot of an answered delivery. */
  release(target: Target): void {
    const key = endpointOf(target);
    const endpoint = this.#endpoints.get(key);
    if (!endpoint) return;
    endpoint.active--;
    this.#active--;
    this.#answered--;
    if (target.failingSince !== null) this.#failing--;
    if (endpoint.active === 0) this.#endpoints.delete(key);
    if (target.callUuid !== null) this.#calls.delete(`${key} ${target.callUuid}`);
  }

  busy(): Busy {
    const full = [...this.#endpoints.values()].filter(({ active, limit }) => active >= limit);
    return {
      failing: this.#failingFull,
      webhookIds: full.flatMap(({ webhookId }) => (webhookId === null ? [] : [webhookId])),
      legacyUrls: full.flatMap(({ legacyUrl }) => (legacyUrl === null ? [] : [legacyUrl])),
    };
  }
}
