/** Page for a browser that opens the dashboard under an unknown host name: shows what to set. */
import { escapedHtml } from "../core/html.ts";
import { textsOf } from "../core/texts.ts";
import { pageLanguage, plainPage } from "./plain-page.ts";
import unknownHostTexts from "./unknown-host-texts.json" with { type: "json" };

const TEXTS = textsOf(unknownHostTexts);

/** Longest `https://host:port`: a host name has at most 253 characters. */
const ORIGIN_MAX = 267;
const EXAMPLE = "https://voice.example.com";

/** `own`: the requested `scheme://host[:port]`. */
export function unknownHostPage(request: Request, own: string): Response {
  const language = pageLanguage(request);
  const { title, body, after, copy, done } = TEXTS[language];
  const address = own.length <= ORIGIN_MAX && !own.endsWith("//") ? own : EXAMPLE;
  const lines = `[server]\npublic_url = "${address}"`;
  return plainPage({
    language,
    status: 403,
    title,
    header: "",
    body: `<p>${body}</p>
<pre><code>${escapedHtml(lines)}</code><button type="button" data-done="${done}">${copy}</button></pre>
<p>${after}</p>`,
  });
}
