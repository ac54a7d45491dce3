/** Texts of the mail about stopped calls to new destinations. */
import type { Reader } from "../../features/mail/reader.ts";
import type { BurstStop } from "./dialing-burst.ts";

type Reached = (company: string, limit: number) => string;

interface BurstWords extends Readonly<Record<BurstStop["kind"], Reached>> {
  readonly subject: (company: string) => string;
  readonly effect: string;
  readonly advice: readonly string[];
}

export const burstWords: Readonly<Record<Reader["locale"], BurstWords>> = {
  en: {
    subject: (company) => `Calls of ${company} to new destinations were stopped`,
    new_numbers: (company, limit) => `${company} called ${limit} new numbers within an hour.`,
    new_countries: (company, limit) => `${company} called ${limit} new countries within a day.`,
    effect:
      "Calls to new destinations are blocked for now. Numbers called before can still be called.",
    advice: [
      "If nobody in the company did this, someone else may be using an API key or an account: revoke the keys, change the passwords and check the calls.",
      "If this was intended, wait, or ask the operator to raise `[limits] new_numbers_per_hour` or `new_countries_per_day`.",
    ],
  },
  lt: {
    subject: (company) => `Įmonės ${company} skambučiai naujais numeriais sustabdyti`,
    new_numbers: (company, limit) =>
      `Per valandą iš įmonės ${company} pirmą kartą skambinta tiek numerių: ${limit}.`,
    new_countries: (company, limit) =>
      `Per parą iš įmonės ${company} pirmą kartą skambinta į tiek šalių: ${limit}.`,
    effect:
      "Kol kas skambinti naujais numeriais nebegalima. Numeriais, kuriais jau skambinta, skambinti galima.",
    advice: [
      "Jei to nedarė niekas iš įmonės, API raktas arba paskyra galėjo patekti į svetimas rankas: panaikinkite raktus, pakeiskite slaptažodžius ir peržiūrėkite skambučius.",
      "Jei taip ir turėjo būti, palaukite arba paprašykite administratoriaus padidinti `[limits] new_numbers_per_hour` arba `new_countries_per_day`.",
    ],
  },
  lv: {
    subject: (company) => `Uzņēmuma ${company} zvani uz jauniem numuriem ir apturēti`,
    new_numbers: (company, limit) =>
      `Stundas laikā no uzņēmuma ${company} pirmo reizi zvanīts uz tik daudziem numuriem: ${limit}.`,
    new_countries: (company, limit) =>
      `Diennakts laikā no uzņēmuma ${company} pirmo reizi zvanīts uz tik daudzām valstīm: ${limit}.`,
    effect:
      "Pagaidām uz jauniem numuriem zvanīt nevar. Uz numuriem, uz kuriem jau ir zvanīts, zvanīt var.",
    advice: [
      "Ja to nav darījis neviens no uzņēmuma, API atslēga vai konts, iespējams, ir nonācis svešās rokās: atsauciet atslēgas, nomainiet paroles un pārskatiet zvanus.",
      "Ja tā bija iecerēts, pagaidiet vai palūdziet administratoram palielināt `[limits] new_numbers_per_hour` vai `new_countries_per_day`.",
    ],
  },
  ru: {
    subject: (company) => `Звонки компании ${company} на новые номера остановлены`,
    new_numbers: (company, limit) =>
      `За час из компании ${company} впервые позвонили на столько номеров: ${limit}.`,
    new_countries: (company, limit) =>
      `За сутки из компании ${company} впервые позвонили в столько стран: ${limit}.`,
    effect:
      "Пока звонить на новые номера нельзя. На номера, на которые уже звонили, звонить можно.",
    advice: [
      "Если никто из компании этого не делал, ключ API или учётная запись могли попасть в чужие руки: отзовите ключи, смените пароли и просмотрите звонки.",
      "Если так и задумано, подождите или попросите администратора увеличить `[limits] new_numbers_per_hour` или `new_countries_per_day`.",
    ],
  },
};
