/** What a person calls the device of a session: its browser and system. */

/** The first that the User-Agent has; most of them name others as well. */
const BROWSERS = {
  Edg: "Edge",
  "OPR/": "Opera",
  "Firefox/": "Firefox",
  "FxiOS/": "Firefox",
  "CriOS/": "Chrome",
  "Chrome/": "Chrome",
  "Safari/": "Safari",
};
const SYSTEMS = {
  iPhone: "iPhone",
  iPad: "iPad",
  Android: "Android",
  Windows: "Windows",
  "Mac OS": "macOS",
  CrOS: "ChromeOS",
  Linux: "Linux",
};

/** What is neither is told as it was sent. */
export function deviceName(userAgent: string): string {
  const named = [BROWSERS, SYSTEMS].map(
    (all) => Object.entries(all).find(([mark]) => userAgent.includes(mark))?.[1],
  );
  return named.filter(Boolean).join(", ") || userAgent;
}
