/** Name of a session's device: its browser and system. */

/** The first match wins, because most User-Agents also name other browsers. */
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

/** Returns the User-Agent unchanged if neither is known. */
export function deviceName(userAgent: string): string {
  const named = [BROWSERS, SYSTEMS].map(
    (all) => Object.entries(all).find(([mark]) => userAgent.includes(mark))?.[1],
  );
  return named.filter(Boolean).join(", ") || userAgent;
}
