/** Page for a browser that opens the dashboard under an unknown host name: shows what to set. */
import { escapedHtml } from "../core/html.ts";
import { pageLanguage, plainPage } from "./plain-page.ts";

const TEXTS = {
  en: {
    title: "This address is not set up yet",
    body: "Linevoice does not open under an address that it does not know. This protects you from other websites. Open it by the server's IP address, or add these lines to linevoice.toml:",
    after:
      "If your address starts with https://, write it so. Then restart: systemctl restart linevoice",
    copy: "Copy",
    done: "Copied",
  },
  lt: {
    title: "Šis adresas dar nenustatytas",
    body: "Linevoice neatsidaro adresu, kurio nežino. Taip jis apsaugo jus nuo kitų svetainių. Atverkite jį serverio IP adresu arba į linevoice.toml įrašykite šias eilutes:",
    after:
      "Jei jūsų adresas prasideda https://, taip ir įrašykite. Tada paleiskite iš naujo: systemctl restart linevoice",
    copy: "Kopijuoti",
    done: "Nukopijuota",
  },
  lv: {
    title: "Šī adrese vēl nav iestatīta",
    body: "Linevoice neatveras ar adresi, kuru tas nepazīst. Tā tas jūs pasargā no citām vietnēm. Atveriet to ar servera IP adresi vai ierakstiet failā linevoice.toml šīs rindas:",
    after:
      "Ja jūsu adrese sākas ar https://, ierakstiet to tā. Pēc tam restartējiet: systemctl restart linevoice",
    copy: "Kopēt",
    done: "Nokopēts",
  },
  ru: {
    title: "Этот адрес ещё не настроен",
    body: "Linevoice не открывается по адресу, которого не знает. Так он защищает вас от чужих сайтов. Откройте его по IP-адресу сервера или добавьте в linevoice.toml эти строки:",
    after:
      "Если ваш адрес начинается с https://, так и напишите. Затем перезапустите: systemctl restart linevoice",
    copy: "Копировать",
    done: "Скопировано",
  },
};

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
