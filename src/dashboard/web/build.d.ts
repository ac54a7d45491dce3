/**
 * Constants that scripts/build-dashboard.ts inserts, and state that the page's two scripts share.
 */

/** URL of the audio worklet's bundle. */
declare const MICROPHONE_WORKLET_URL: string;

/** URLs of the code that each page loads first. */
declare const FIRST_LOAD: {
  readonly pages: readonly {
    /** Regular expression for the page's path. */
    readonly pattern: string;
    readonly code: readonly string[];
    /** URL of the page's first data; null if the build does not know it. */
    readonly data: string | null;
  }[];
  readonly texts: Readonly<Record<"en" | "lt" | "lv" | "ru", readonly string[]>>;
};

interface Window {
  /** Pending responses by URL: early.ts requested them, and the app has not used them yet. */
  earlyAnswers?: Map<string, Promise<Response>>;
}
