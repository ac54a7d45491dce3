/** Texts of the live calls. */
import type { Messages } from "../../i18n/language.ts";

export const messages = {
  "nav.live": {
    en: "Live calls",
    lt: "Vykstantys skambučiai",
    lv: "Notiekošie zvani",
    ru: "Текущие звонки",
  },
  "live.lead": {
    en: "Live transcripts. Listening in is silent: neither party can hear you.",
    lt: "Kas kalbama šią akimirką. Klausotės tyliai: linijoje to niekas nepastebi.",
    lv: "Ko runā šobrīd. Klausāties klusi: līnijā to neviens nemana.",
    ru: "Что говорят прямо сейчас. Вы слушаете беззвучно: на линии этого не заметят.",
  },
  "live.connected": {
    en: "Live",
    lt: "Stebima tiesiogiai",
    lv: "Seko tiešraidē",
    ru: "Прямая трансляция",
  },
  "live.connecting": {
    en: "Connecting …",
    lt: "Jungiamasi…",
    lv: "Savienojas…",
    ru: "Подключение…",
  },
  "live.closed": {
    en: "Disconnected. Reconnecting …",
    lt: "Neprisijungta. Bandoma vėl…",
    lv: "Nav savienojuma. Mēģina vēlreiz…",
    ru: "Нет связи. Пробуем снова…",
  },
  "live.unknown": {
    en: "Live calls cannot be shown right now",
    lt: "Dabar vykstančių skambučių nematyti",
    lv: "Pašlaik notiekošos zvanus nevar redzēt",
    ru: "Текущие звонки сейчас не видны",
  },
  "live.empty": {
    en: "No calls in progress",
    lt: "Dabar skambučių nėra",
    lv: "Pašlaik zvanu nav",
    ru: "Сейчас звонков нет",
  },
  "live.empty_body": {
    en: "Calls appear here as they ring, with a live transcript. Call one of your numbers to try it.",
    lt: "Skambutis čia pasirodo suskambėjus, o žodžiai – juos ištarus. Paskambinkite vienu iš savo numerių.",
    lv: "Zvans šeit parādās, kad iezvanās, un vārdi – kad tos izrunā. Piezvaniet uz kādu no saviem numuriem.",
    ru: "Звонок появляется здесь, когда зазвонит, а слова — когда их произносят. Позвоните на один из своих номеров.",
  },
  "live.listen": { en: "Listen", lt: "Klausytis", lv: "Klausīties", ru: "Слушать" },
  "live.listen_stop": {
    en: "Stop listening",
    lt: "Nebesiklausyti",
    lv: "Neklausīties",
    ru: "Не слушать",
  },
  "live.listening": {
    en: "Listening: customer left, agent right.",
    lt: "Klausotės: klientas kairėje, agentas dešinėje.",
    lv: "Klausāties: zvanītājs pa kreisi, aģents pa labi.",
    ru: "Вы слушаете: звонящий слева, агент справа.",
  },
  "live.transfer": { en: "Transfer", lt: "Perduoti", lv: "Pārslēgt", ru: "Перевести" },
  "live.transfer_title": {
    en: "Transfer the call",
    lt: "Perduoti skambutį",
    lv: "Pārslēgt zvanu",
    ru: "Перевести звонок",
  },
  "live.transfer_to": { en: "Transfer to", lt: "Kur", lv: "Uz kurieni", ru: "Куда" },
  "live.transfer_hint": {
    en: "A number such as +37060000003, or a SIP address such as sip:desk@example.com. If nobody answers there, the caller returns to the agent.",
    lt: "Numeris, pvz., +37060000003, arba SIP adresas, pvz., sip:desk@example.com. Jei ten neatsilieps, klientas grįš pas agentą.",
    lv: "Numurs, piemēram, +37060000003, vai SIP adrese, piemēram, sip:desk@example.com. Ja tur neatbild, zvanītājs atgriežas pie aģenta.",
    ru: "Номер, например +37060000003, или адрес SIP, например sip:desk@example.com. Если там не ответят, звонящий вернётся к агенту.",
  },
  "live.transferring": {
    en: "The call is being transferred.",
    lt: "Skambutis perduodamas.",
    lv: "Zvans tiek pārslēgts.",
    ru: "Звонок переводится.",
  },
  "live.hangup": { en: "Hang up", lt: "Baigti", lv: "Beigt", ru: "Завершить" },
  "live.hangup_title": {
    en: "End this call?",
    lt: "Baigti šį skambutį?",
    lv: "Beigt šo zvanu?",
    ru: "Завершить этот звонок?",
  },
  "live.hangup_body": {
    en: "The call ends immediately. The transcript and recording are kept.",
    lt: "Pokalbis nutrūks iškart. Stenograma ir įrašas išliks.",
    lv: "Saruna pārtrūks uzreiz. Atšifrējums un ieraksts paliks.",
    ru: "Разговор прервётся сразу. Расшифровка и запись останутся.",
  },
  "live.waiting": {
    en: "Nothing said yet.",
    lt: "Dar nieko nepasakyta.",
    lv: "Vēl nekas nav teikts.",
    ru: "Пока ничего не сказано.",
  },
  "live.details": { en: "Details", lt: "Išsamiau", lv: "Sīkāk", ru: "Подробно" },
  "live.transfer_brief": {
    en: "Brief the person first",
    lt: "Pirmiausia trumpai pristatyti skambutį darbuotojui",
    lv: "Vispirms īsi pastāstīt kolēģim par zvanu",
    ru: "Сначала коротко рассказать сотруднику о звонке",
  },
} satisfies Messages;
