/**
 * Lazy routes: loading their schemas would be half of a start. They load once the server listens, or with the
 * first request for one of their mounts.
 */
export class LazyRoutes {
  #loading: Promise<void> | null = null;
  #isLoaded = false;

  /** `mount` loads and mounts the routes. After a failure, each request retries. */
  constructor(
    private readonly mounts: readonly string[],
    private readonly mount: () => Promise<void>,
  ) {}

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  covers(path: string): boolean {
    return this.mounts.some(
      (mount) => path.startsWith(mount) && (path[mount.length] ?? "/") === "/",
    );
  }

  async load(): Promise<void> {
    this.#loading ??= this.mount();
    try {
      await this.#loading;
      this.#isLoaded = true;
    } catch (error) {
      this.#loading = null;
      throw error;
    }
  }
}
