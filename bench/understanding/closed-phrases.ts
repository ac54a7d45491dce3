/**
 * What callers say in Lithuanian, Latvian and Russian, where the embedded engine knows closed lists of
 * phrases: each kind by each caller, and what is on no list. The lists' own words are in `lexicon.ts`.
 */
import type { ClosedLanguage } from "../../src/adapter/engine/embedded/closed-languages.ts";

interface Said {
  /** A business's questions, with answers that are none of them. */
  readonly questions: readonly string[];
  /** Days as callers name them. */
  readonly days: readonly string[];
  /** Sentences that are no phrase of any list. */
  readonly otherSentences: readonly string[];
  /** After a question that wants a yes, a number or a day. */
  readonly otherWords: readonly string[];
}

export const SAID: Readonly<Record<ClosedLanguage, Said>> = {
  lt: {
    questions: [
      "Kokios jūsų darbo valandos?",
      "Kiek kainuoja konsultacija?",
      "Kur jūs esate?",
      "Ar galima mokėti kortele?",
      "Ar yra stovėjimo aikštelė?",
      "Kaip atšaukti vizitą?",
      "Ar priimate vaikus?",
      "Ar dirbate savaitgaliais?",
      "Kiek laiko trunka valymas?",
      "Ar reikia siuntimo?",
      "Ar taikote nuolaidas pensininkams?",
      "Koks jūsų elektroninis paštas?",
    ],
    days: [
      "pirmadienį",
      "antradienį",
      "trečiadienį",
      "ketvirtadienį",
      "penktadienį",
      "šeštadienį",
      "sekmadienį",
      "šiandien",
      "rytoj",
      "poryt",
    ],
    otherSentences: [
      "Mano sesuo gyvena Kaune",
      "Vakar visą dieną lijo",
      "Automobilis stovi prie namo",
      "Ar matėte vakar krepšinio rungtynes",
      "Nusipirkau naują telefoną",
      "Kokia sostinė yra Prancūzija",
      "Vaikai eina į mokyklą",
      "Bulvės šiemet labai brangios",
      "Mes važiuojame prie jūros",
      "Kiek žmonių gyvena Lietuvoje",
      "Reikia pakeisti lemputę virtuvėje",
      "Šuo pabėgo iš kiemo",
    ],
    otherWords: [
      "galbūt",
      "nežinau",
      "palaukite",
      "alio",
      "kodėl",
      "vėliau",
      "minutėlę",
      "kas kalba",
      "negirdžiu",
      "mama",
      "kava",
      "namuose",
    ],
  },
  lv: {
    questions: [
      "Kāds ir jūsu darba laiks?",
      "Cik maksā konsultācija?",
      "Kur jūs atrodaties?",
      "Vai var maksāt ar karti?",
      "Vai ir autostāvvieta?",
      "Kā atcelt vizīti?",
      "Vai jūs pieņemat bērnus?",
      "Vai strādājat brīvdienās?",
      "Cik ilgi notiek tīrīšana?",
      "Vai vajag nosūtījumu?",
      "Vai pensionāriem ir atlaides?",
      "Kāds ir jūsu e-pasts?",
    ],
    days: [
      "pirmdien",
      "otrdien",
      "trešdien",
      "ceturtdien",
      "piektdien",
      "sestdien",
      "svētdien",
      "šodien",
      "rīt",
      "parīt",
    ],
    otherSentences: [
      "Mana māsa dzīvo Liepājā",
      "Vakar visu dienu lija lietus",
      "Mašīna stāv pie mājas",
      "Vai jūs redzējāt vakar hokeja spēli",
      "Es nopirku jaunu telefonu",
      "Kura ir Francijas galvaspilsēta",
      "Bērni iet uz skolu",
      "Kartupeļi šogad ir ļoti dārgi",
      "Mēs braucam uz jūru",
      "Cik cilvēku dzīvo Latvijā",
      "Jānomaina spuldze virtuvē",
      "Suns aizbēga no pagalma",
    ],
    otherWords: [
      "varbūt",
      "nezinu",
      "pagaidiet",
      "allo",
      "kāpēc",
      "vēlāk",
      "mirklīti",
      "kas runā",
      "nedzirdu",
      "mamma",
      "kafija",
      "mājās",
    ],
  },
  ru: {
    questions: [
      "Какие у вас часы работы?",
      "Сколько стоит консультация?",
      "Где вы находитесь?",
      "Можно ли платить картой?",
      "Есть ли у вас парковка?",
      "Как отменить визит?",
      "Принимаете ли вы детей?",
      "Работаете ли вы в выходные?",
      "Сколько длится чистка?",
      "Нужно ли направление?",
      "Есть ли скидки для пенсионеров?",
      "Какая у вас электронная почта?",
    ],
    days: [
      "в понедельник",
      "во вторник",
      "в среду",
      "в четверг",
      "в пятницу",
      "в субботу",
      "в воскресенье",
      "сегодня",
      "завтра",
      "послезавтра",
    ],
    otherSentences: [
      "Моя сестра живёт в деревне",
      "Вчера весь день шёл дождь",
      "Машина стоит возле дома",
      "Вы видели вчера футбольный матч",
      "Я купил новый телефон",
      "Назовите столицу Франции",
      "Дети идут в школу",
      "Картошка в этом году очень дорогая",
      "Мы едем на море",
      "Сколько людей живёт в Латвии",
      "Надо поменять лампочку на кухне",
      "Собака убежала со двора",
    ],
    otherWords: [
      "может быть",
      "не знаю",
      "подождите",
      "алло",
      "почему",
      "позже",
      "минуточку",
      "кто говорит",
      "не слышу",
      "мама",
      "кофе",
      "дома",
    ],
  },
};

/** Each digit, and four in a row. */
export const NUMBERS = [
  ..."0123456789",
  ...["1234", "5678", "9012", "3456", "7890", "2468", "1357", "8064", "4091", "6725"],
];
