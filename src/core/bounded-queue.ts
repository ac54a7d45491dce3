/**
 * A first-in, first-out queue with a fixed capacity: a full queue rejects new items instead of
 * growing.
 */
export class BoundedQueue<Item> {
  readonly #items: Item[] = [];
  #head = 0;

  constructor(readonly capacity: number) {}

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Returns false when full. The caller decides which item to drop. */
  push(item: Item): boolean {
    if (this.size >= this.capacity) return false;
    this.#items.push(item);
    return true;
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined as Item;
    this.#head++;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items.length = 0;
    this.#head = 0;
  }
}
