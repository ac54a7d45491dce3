/** Texts of scheduled calls. */
import type { Messages } from "../../i18n/language.ts";

export const messages = {
  "nav.schedules": {
    en: "Scheduled calls",
    lt: "Suplanuoti skambučiai",
    lv: "Ieplānotie zvani",
    ru: "План звонков",
  },
  "schedules.lead": {
    en: "Scheduled outbound calls and their results. Each entry runs exactly once.",
    lt: "Skambučiai, kuriuos agentai atliks, ir kuo jie baigėsi. Kiekvienas atliekamas tik kartą.",
    lv: "Zvani, ko aģenti veiks, un kā tie beidzās. Katrs notiek tieši vienreiz.",
    ru: "Звонки, которые сделают агенты, и чем они закончились. Каждый — ровно один раз.",
  },
  "schedules.any": { en: "All", lt: "Visi", lv: "Visi", ru: "Все" },
  "schedules.empty": {
    en: "Nothing is scheduled",
    lt: "Nieko nesuplanuota",
    lv: "Nekas nav ieplānots",
    ru: "Ничего не запланировано",
  },
  "schedules.empty_body": {
    en: "Schedule a call here or over the API. It is placed within a minute of its time.",
    lt: "Suplanuokite skambutį čia arba per API. Jis atliekamas per minutę nuo nurodyto laiko.",
    lv: "Ieplānojiet zvanu šeit vai ar API. Tas notiek minūtes laikā no sava laika.",
    ru: "Запланируйте звонок здесь или через API. Он состоится в течение минуты от своего времени.",
  },
  "schedules.to": { en: "To", lt: "Kam", lv: "Kam", ru: "Кому" },
  "schedules.due": { en: "Due", lt: "Kada", lv: "Kad", ru: "Когда" },
  "schedules.cancel": { en: "Cancel", lt: "Atšaukti", lv: "Atcelt", ru: "Отменить" },
  "schedules.cancel_title": {
    en: "Cancel this call?",
    lt: "Atšaukti šį skambutį?",
    lv: "Atcelt šo zvanu?",
    ru: "Отменить этот звонок?",
  },
  "schedules.cancel_body": {
    en: "The call will not be placed. The entry stays in the list.",
    lt: "Jis nebus atliktas. Įrašas sąraše lieka.",
    lv: "Tas netiks veikts. Ieraksts sarakstā paliek.",
    ru: "Он не состоится. Запись останется в списке.",
  },
  "schedules.cancel_call": {
    en: "Cancel the call",
    lt: "Atšaukti skambutį",
    lv: "Atcelt zvanu",
    ru: "Отменить звонок",
  },
  "schedules.keep": {
    en: "Keep the call",
    lt: "Palikti skambutį",
    lv: "Paturēt zvanu",
    ru: "Оставить звонок",
  },
  "schedules.cancelled": {
    en: "The call is cancelled.",
    lt: "Skambutis atšauktas.",
    lv: "Zvans ir atcelts.",
    ru: "Звонок отменён.",
  },
  "schedules.no_agent": { en: "no agent", lt: "be agento", lv: "bez aģenta", ru: "без агента" },
  "schedules.status.pending": { en: "Pending", lt: "Laukia", lv: "Gaida", ru: "Ждёт" },
  "schedules.status.fired": { en: "Placed", lt: "Atliktas", lv: "Veikts", ru: "Сделан" },
  "schedules.status.cancelled": { en: "Cancelled", lt: "Atšauktas", lv: "Atcelts", ru: "Отменён" },
  "schedules.status.missed": { en: "Missed", lt: "Praleistas", lv: "Nokavēts", ru: "Пропущен" },
  "schedules.status.failed": { en: "Failed", lt: "Nepavyko", lv: "Neizdevās", ru: "Не удался" },
} satisfies Messages;
