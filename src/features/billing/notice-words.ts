/** Texts of mails about money. Months are written as 2026-11, because month names are inflected. */
import type { Reader } from "../mail/reader.ts";
import type { Renewal } from "./stores.ts";

interface NoticeWords {
  readonly lowBalance: {
    readonly subject: (company: string, threshold: string) => string;
    readonly balance: (company: string, balance: string) => string;
    readonly advice: readonly string[];
  };
  readonly unpaid: {
    readonly subject: (company: string, month: string) => string;
    readonly due: (month: string, free: string) => string;
    readonly plan: (plan: string) => string;
    readonly bridge: string;
    readonly effects: Readonly<Record<Renewal["item"], string>>;
    readonly advice: string;
  };
  readonly bridgeOff: {
    readonly subject: (company: string) => string;
    readonly unpaid: (month: string) => string;
    readonly advice: string;
  };
}

export const noticeWords: Readonly<Record<Reader["locale"], NoticeWords>> = {
  en: {
    lowBalance: {
      subject: (company, threshold) => `The balance of ${company} is below ${threshold}`,
      balance: (company, balance) => `The balance of ${company} is ${balance}.`,
      advice: [
        "When both the balance and the plan minutes run out, calls can no longer be answered or placed.",
        "What to do: top up under Usage and billing, through the API (POST /topup) or via your operator.",
      ],
    },
    unpaid: {
      subject: (company, month) => `The wallet of ${company} could not pay ${month}`,
      due: (month, free) => `The wallet has ${free}. Due for ${month}:`,
      plan: (plan) => `Plan ${plan}`,
      bridge: "CRM bridge",
      effects: {
        plan: "Until the plan is paid, this month has no included minutes: calls are charged to the wallet at the overage rate.",
        crm_bridge: "The CRM bridge stays on for 7 days.",
      },
      advice:
        "What to do: top up the wallet. The payment is then retried within a minute. You do not owe amounts that are still unpaid at the end of the month.",
    },
    bridgeOff: {
      subject: (company) => `The CRM bridge of ${company} was switched off`,
      unpaid: (month) => `The CRM bridge was not paid for ${month}, so it was switched off.`,
      advice:
        "What to do: buy it again under Usage and billing, or with POST /checkout. You owe nothing for the time it was on.",
    },
  },
  lt: {
    lowBalance: {
      subject: (company, threshold) => `Įmonės ${company} piniginėje mažiau nei ${threshold}`,
      balance: (company, balance) => `Įmonės ${company} piniginės likutis: ${balance}.`,
      advice: [
        "Pasibaigus ir likučiui, ir plano minutėms, nebus galima nei atsiliepti, nei skambinti.",
        "Ką daryti: papildykite piniginę skyde, skiltyje „Naudojimas ir mokėjimai“, per API (POST /topup) arba kreipkitės į administratorių.",
      ],
    },
    unpaid: {
      subject: (company, month) => `Įmonės ${company} piniginėje neužteko lėšų už ${month}`,
      due: (month, free) => `Mokėtina už ${month}, o piniginėje yra ${free}:`,
      plan: (plan) => `Planas ${plan}`,
      bridge: "CRM jungtis",
      effects: {
        plan: "Kol planas neapmokėtas, šį mėnesį plano minučių nėra: už skambučius iš piniginės mokama kainomis virš plano.",
        crm_bridge: "CRM jungtis veiks dar 7 dienas.",
      },
      advice:
        "Ką daryti: papildykite piniginę. Mokėjimas bus pakartotas per minutę. Kas lieka neapmokėta mėnesio pabaigoje, to mokėti nereikia.",
    },
    bridgeOff: {
      subject: (company) => `Įmonės ${company} CRM jungtis išjungta`,
      unpaid: (month) => `CRM jungtis už ${month} neapmokėta, todėl išjungta.`,
      advice:
        "Ką daryti: nusipirkite ją iš naujo skyde arba per API (POST /checkout). Už laiką, kai ji veikė, mokėti nereikia.",
    },
  },
  lv: {
    lowBalance: {
      subject: (company, threshold) => `Uzņēmuma ${company} makā ir mazāk par ${threshold}`,
      balance: (company, balance) => `Uzņēmuma ${company} maka atlikums: ${balance}.`,
      advice: [
        "Kad beigsies gan atlikums, gan plāna minūtes, vairs nevarēs ne atbildēt, ne zvanīt.",
        "Ko darīt: papildiniet maku panelī, sadaļā „Lietojums un maksājumi”, caur API (POST /topup) vai vērsieties pie administratora.",
      ],
    },
    unpaid: {
      subject: (company, month) => `Uzņēmuma ${company} makā nepietika līdzekļu par ${month}`,
      due: (month, free) => `Jāmaksā par ${month}, bet makā ir ${free}:`,
      plan: (plan) => `Plāns ${plan}`,
      bridge: "CRM savienojums",
      effects: {
        plan: "Kamēr plāns nav apmaksāts, šomēnes nav plāna minūšu: par zvaniem no maka maksā pēc cenām virs plāna.",
        crm_bridge: "CRM savienojums darbosies vēl 7 dienas.",
      },
      advice:
        "Ko darīt: papildiniet maku. Maksājums tiks atkārtots minūtes laikā. Par to, kas mēneša beigās paliek neapmaksāts, nav jāmaksā.",
    },
    bridgeOff: {
      subject: (company) => `Uzņēmuma ${company} CRM savienojums ir izslēgts`,
      unpaid: (month) => `CRM savienojums par ${month} nav apmaksāts, tāpēc ir izslēgts.`,
      advice:
        "Ko darīt: nopērciet to no jauna panelī vai caur API (POST /checkout). Par laiku, kad tas darbojās, nav jāmaksā.",
    },
  },
  ru: {
    lowBalance: {
      subject: (company, threshold) => `В кошельке компании ${company} меньше ${threshold}`,
      balance: (company, balance) => `Остаток в кошельке компании ${company}: ${balance}.`,
      advice: [
        "Когда закончатся и остаток, и минуты тарифа, нельзя будет ни отвечать, ни звонить.",
        "Что делать: пополните кошелёк в панели, в разделе «Использование и оплата», через API (POST /topup) или обратитесь к администратору.",
      ],
    },
    unpaid: {
      subject: (company, month) => `В кошельке компании ${company} не хватило средств за ${month}`,
      due: (month, free) => `К оплате за ${month}, а в кошельке ${free}:`,
      plan: (plan) => `Тариф ${plan}`,
      bridge: "Мост CRM",
      effects: {
        plan: "Пока тариф не оплачен, в этом месяце нет минут тарифа: звонки оплачиваются из кошелька по цене сверх тарифа.",
        crm_bridge: "Мост CRM проработает ещё 7 дней.",
      },
      advice:
        "Что делать: пополните кошелёк. Оплата будет повторена в течение минуты. Что останется неоплаченным к концу месяца, платить не нужно.",
    },
    bridgeOff: {
      subject: (company) => `Мост CRM компании ${company} выключен`,
      unpaid: (month) => `Мост CRM за ${month} не оплачен и поэтому выключен.`,
      advice:
        "Что делать: купите его снова в панели или через API (POST /checkout). За время, когда он работал, платить не нужно.",
    },
  },
};
