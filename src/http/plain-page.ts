/** Small HTML pages outside of the dashboard, in the reader's language. */
import { createHash } from "node:crypto";
import { escapedHtml } from "../core/html.ts";

const LANGUAGES = ["en", "lt", "lv", "ru"] as const;
export type PageLanguage = (typeof LANGUAGES)[number];

/** `?language=`, else the browser's first supported language, else English. */
export function pageLanguage(request: Request): PageLanguage {
  const wanted = new URL(request.url).searchParams.get("language") ?? "";
  const accepted = request.headers.get("accept-language") ?? "";
  const tags = [wanted, ...accepted.split(",")].map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return tags.find(isPageLanguage) ?? "en";
}

const isPageLanguage = (tag: string): tag is PageLanguage => LANGUAGES.some((each) => each === tag);

/** Selects and copies the text before the button. Works without HTTPS too. */
const COPY_SCRIPT = `const button=document.querySelector("button");button?.addEventListener("click",()=>{
getSelection().selectAllChildren(button.previousElementSibling);
if(document.execCommand("copy"))button.textContent=button.dataset.done})`;

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash("sha256").update(COPY_SCRIPT).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;max-width:34rem;
margin:0 auto;padding:1.5rem 1rem;background:light-dark(#f7f7f4,#101413);color:light-dark(#171c1a,#e9edea)}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1rem;margin-bottom:2rem}
header b{display:flex;gap:.4rem;align-items:center;font-size:1.1rem;letter-spacing:-.02em}
a,svg,button{color:light-dark(#0b5d4e,#5fcfb4)}a{display:inline-block;padding:.6rem 0}
main{padding:1rem 1.5rem;border:1px solid light-dark(#e2e3dd,#2a312e);border-radius:14px;
background:light-dark(#fff,#171c1a)}h1{font-size:1.5rem;margin:.5rem 0 1rem;overflow-wrap:anywhere}
dt{color:light-dark(#4d5651,#b0b9b4)}dd{margin:0 0 .8rem;font-size:1.1rem;overflow-wrap:anywhere}
pre,code{white-space:pre-wrap;overflow-wrap:anywhere}pre{font:inherit}
pre code{display:block;padding:.6rem .8rem;border-radius:6px;background:light-dark(#f0f0ec,#0c100f)}
button{margin-left:.5rem;padding:.4rem .8rem;border:1px solid;border-radius:6px;background:none;font:inherit;
font-size:.875rem;cursor:pointer}`;

const MARK =
  '<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><path d="M2.500 11h1M7.500 7v8M12 3.500v15M16.500 8v6M20 10.500v1"/></svg>';

interface PlainPage {
  readonly language: PageLanguage;
  readonly status: number;
  readonly title: string;
  /** HTML after the product's name. */
  readonly header: string;
  /** HTML below the title. */
  readonly body: string;
}

export function plainPage({ language, status, title, header, body }: PlainPage): Response {
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)} · Linevoice</title>
<style>${STYLE}</style>
</head>
<body>
<header><b>${MARK}Linevoice</b>${header}</header>
<main>
<h1>${escapedHtml(title)}</h1>
${body}
</main>
<script>${COPY_SCRIPT}</script>
</body>
</html>
`;
  return new Response(html, { status, headers: HEADERS });
}
