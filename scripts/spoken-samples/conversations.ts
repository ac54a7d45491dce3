/** Questions and knowledge of the conversations in docs/spoken/: ten businesses per language. */
import type { AgentLanguage } from "../../src/features/agent/agent.ts";

export interface Business {
  readonly company: string;
  readonly person: readonly [first: string, last: string];
  /**
   * Questions about time, price and number, as a caller asks them and as the knowledge has them.
   */
  readonly knowledge: readonly (readonly [question: string, answer: string])[];
  /** The day and the time that the caller wants. */
  readonly visit: readonly [day: string, time: string];
}

interface Words {
  readonly firstMessage: string;
  readonly tool: string;
  readonly date: string;
  readonly time: string;
  readonly book: string;
  readonly booked: string;
  readonly yes: string;
  readonly refuse: string;
  readonly takeBack: string;
  readonly transfer: string;
  readonly message: string;
  readonly messageText: string;
  readonly goodbye: string;
}

export const WORDS: Readonly<Record<AgentLanguage, Words>> = {
  en: {
    firstMessage: "Hello, this is {company}. How can I help you?",
    tool: "Book a visit.",
    date: "the day of the visit",
    time: "the time of the visit",
    book: "book a visit",
    booked: "Your visit is booked for {date} at {time}.",
    yes: "yes",
    refuse: "don't call me again",
    takeBack: "no, you may call me",
    transfer: "can i speak to a person",
    message: "i want to leave a message",
    messageText: "Please call me back tomorrow.",
    goodbye: "goodbye",
  },
  lt: {
    firstMessage: "Laba diena, čia {company}. Kuo galiu padėti?",
    tool: "Užregistruoti vizitą.",
    date: "vizito dieną",
    time: "vizito laiką",
    book: "užregistruoti vizitą",
    booked: "Vizitas užregistruotas: {date} {time}.",
    yes: "taip",
    refuse: "nebeskambinkite man",
    takeBack: "ne, galite skambinti",
    transfer: "sujunkite su darbuotoju",
    message: "noriu palikti žinutę",
    messageText: "Perskambinkite man rytoj.",
    goodbye: "viso gero",
  },
  lv: {
    firstMessage: "Labdien, šeit {company}. Kā varu palīdzēt?",
    tool: "Pieteikt vizīti.",
    date: "vizītes dienu",
    time: "vizītes laiku",
    book: "pieteikt vizīti",
    booked: "Vizīte pieteikta: {date} plkst. {time}.",
    yes: "jā",
    refuse: "vairs man nezvaniet",
    takeBack: "nē, varat zvanīt",
    transfer: "savienojiet ar darbinieku",
    message: "vēlos atstāt ziņu",
    messageText: "Piezvaniet man rīt.",
    goodbye: "uz redzēšanos",
  },
  ru: {
    firstMessage: "Здравствуйте, это {company}. Чем могу помочь?",
    tool: "Записать на приём.",
    date: "день приёма",
    time: "время приёма",
    book: "записать на приём",
    booked: "Вы записаны на {date} в {time}.",
    yes: "да",
    refuse: "не звоните мне больше",
    takeBack: "нет, звоните",
    transfer: "соедините с сотрудником",
    message: "хочу оставить сообщение",
    messageText: "Перезвоните мне завтра.",
    goodbye: "до свидания",
  },
};

const business = (
  company: string,
  person: readonly [string, string],
  knowledge: Business["knowledge"],
  visit: readonly [string, string],
): Business => ({ company, person, knowledge, visit });

const ENGLISH: readonly Business[] = [
  business(
    "Bright Smile Clinic",
    ["Ann", "Miller"],
    [
      ["when is the next free appointment", "The next free time is November 24th at 10:30."],
      ["how much is a check-up", "A check-up costs €35.50."],
      ["what is your phone number", "You can reach us on +370 600 12345, Mon–Fri 9–17."],
    ],
    ["monday", "ten thirty"],
  ),
  business(
    "Harbour Garage Ltd",
    ["Tom", "Reed"],
    [
      ["when will my car be ready", "It will be ready on 11/25/2026 by 16:00."],
      ["how much is an oil change", "An oil change costs €1 more than last year: €61."],
      ["what is your phone number", "Call (8 5) 234 5678, 24/7."],
    ],
    ["tuesday", "nine in the morning"],
  ),
  business(
    "Smith & Sons",
    ["Eve", "Stone"],
    [
      ["when are you open", "We are open 9–17, on Saturdays 10:00–14:00."],
      ["what does the first hour cost", "The first hour costs EUR 5, each further one €2.20."],
      ["what is your phone number", "Our number is +371 2000 0000, extension 204."],
    ],
    ["wednesday", "two o'clock"],
  ),
  business(
    "Lake Hotel",
    ["Dennis", "Hall"],
    [
      ["when is breakfast", "Breakfast is from 7 am to 10:30 am."],
      ["how much is a double room", "A double room is $120 a night, 10% less from 3 nights."],
      ["what is your phone number", "It is +1 555 010 0199."],
    ],
    ["thursday", "quarter to five"],
  ),
  business(
    "City Library",
    ["Chris", "Young"],
    [
      ["when is the book due", "It is due on 1 December 2026."],
      ["how much is the late fee", "The fee is €0.20 a day, €10 at most."],
      ["what is your phone number", "It is 86001234567."],
    ],
    ["friday", "eleven o'clock"],
  ),
  business(
    "Green Vet",
    ["Mary", "Cole"],
    [
      ["when is the vaccination", "It is on December 2nd, 2026 at 08:15."],
      ["what does the vaccination cost", "It costs €21, with the chip €45.90."],
      ["what is your phone number", "Please call +44 20 7946 0018."],
    ],
    ["monday", "four o'clock"],
  ),
  business(
    "Old Town Theatre",
    ["Paul", "West"],
    [
      ["when does the play begin", "It begins at 19:00 and lasts 2 h."],
      ["how much is a ticket", "Tickets are £12 to £30, for children £1."],
      ["what is your phone number", "The box office is 8-600-12345."],
    ],
    ["saturday", "seven p m"],
  ),
  business(
    "Nord Bank",
    ["Lucy", "Grant"],
    [
      ["when does the offer end", "It ends on 31 January 2027 at 23:59."],
      ["what is the interest rate", "The rate is 3.5%, from €1,000."],
      ["what is your phone number", "It is +370 5 210 0000, 24/7."],
    ],
    ["tuesday", "noon"],
  ),
  business(
    "Sun Pharmacy",
    ["Mark", "Field"],
    [
      ["when is my order ready", "It is ready in 5–10 min."],
      ["how much is the delivery", "The delivery is €2.99, free from €40."],
      ["what is your phone number", "Call 555 0100 22 or write to info@sun.example."],
    ],
    ["wednesday", "half past nine in the morning"],
  ),
  business(
    "Hill School",
    ["Jane", "Price"],
    [
      ["when does the course begin", "The 1st lesson is on 9 January 2027 at 18:30."],
      ["what does the course cost", "It costs €450, or €75/month."],
      ["what is your phone number", "It is +371 67 000 000, room 12 on the 3rd floor."],
    ],
    ["thursday", "six p m"],
  ),
];

const LITHUANIAN: readonly Business[] = [
  business(
    "klinika „Šypsena“",
    ["Jonas", "Petraitis"],
    [
      ["kada artimiausias laisvas laikas", "Artimiausias laikas – lapkričio 24 d. 10 val."],
      ["kiek kainuoja apžiūra", "Apžiūra kainuoja 35,50 €."],
      ["koks jūsų telefono numeris", "Mūsų numeris +370 600 12345, dirbame I–V 9–17 val."],
    ],
    ["pirmadienį", "10 valandą"],
  ),
  business(
    "UAB „Autora“",
    ["Rūta", "Kazlauskienė"],
    [
      ["kada automobilis bus paruoštas", "Automobilis bus paruoštas iki lapkričio 25 d. 16 val."],
      ["kiek kainuoja tepalų keitimas", "Tepalų keitimas kainuoja 61 €."],
      ["koks jūsų telefono numeris", "Skambinkite 8 5 2345678. Pagalba kelyje veikia 24/7."],
    ],
    ["antradienį", "9 valandą"],
  ),
  business(
    "grožio salonas „Rasa“",
    ["Darius", "Butkus"],
    [
      ["kada dirbate", "Dirbame nuo 9 iki 19 val., šeštadienį 10–14 val."],
      ["kiek kainuoja kirpimas", "Kirpimas kainuoja 21 €, vaikams – 15 €."],
      ["koks jūsų telefono numeris", "Mūsų tel. +370 5 210 0000."],
    ],
    ["trečiadienį", "14 valandą"],
  ),
  business(
    "viešbutis „Ežeras“",
    ["Eglė", "Jankauskaitė"],
    [
      ["kada pusryčiai", "Pusryčiai nuo 7 val. iki 10.30 val."],
      ["kiek kainuoja kambarys", "Kambarys kainuoja 120 €, nuo 3 naktų – 10 % pigiau."],
      ["koks jūsų telefono numeris", "Mūsų numeris +370 46 300 000."],
    ],
    ["ketvirtadienį", "16 valandą"],
  ),
  business(
    "miesto biblioteka",
    ["Klaus", "Berger"],
    [
      ["kada reikia grąžinti knygą", "Grąžinkite iki 2026-12-01."],
      ["kiek kainuoja vėlavimas", "Viena diena kainuoja 20 ct, daugiausia 10 €."],
      ["koks jūsų telefono numeris", "Skambinkite 861234567."],
    ],
    ["penktadienį", "11 valandą"],
  ),
  business(
    "veterinarijos klinika",
    ["Andrius", "Stankevičius"],
    [
      ["kada skiepai", "Skiepai 2026 m. gruodžio 2 d. 8.15 val."],
      ["kiek kainuoja skiepai", "Skiepai kainuoja 22 €, su ženklinimu – 45,90 €."],
      ["koks jūsų telefono numeris", "Mūsų numeris +370 37 100 200."],
    ],
    ["pirmadienį", "15 valandą"],
  ),
  business(
    "senamiesčio teatras",
    ["Ona", "Žukauskaitė"],
    [
      ["kada prasideda spektaklis", "Spektaklis prasideda 19:00 ir trunka 2 val."],
      ["kiek kainuoja bilietas", "Bilietas kainuoja nuo 12 € iki 30 €."],
      ["koks jūsų telefono numeris", "Kasos tel. +370 5 262 0000."],
    ],
    ["šeštadienį", "18 valandą"],
  ),
  business(
    "bankas „Šiaurė“",
    ["Vytautas", "Paulauskas"],
    [
      ["kada baigiasi pasiūlymas", "Pasiūlymas galioja iki 2027 m. sausio 31 d."],
      ["kokios palūkanos", "Palūkanos 3,5 %, nuo 1000 €."],
      ["koks jūsų telefono numeris", "Mūsų numeris +370 5 210 1111, veikia 24/7."],
    ],
    ["antradienį", "12 valandą"],
  ),
  business(
    "vaistinė „Saulė“",
    ["Gabija", "Urbonaitė"],
    [
      ["kada bus užsakymas", "Užsakymas bus po 5–10 min."],
      ["kiek kainuoja pristatymas", "Pristatymas kainuoja 2,99 €, nuo 40 € – nemokamai."],
      ["koks jūsų telefono numeris", "Skambinkite 8 700 55555 arba rašykite info@saule.lt."],
    ],
    ["trečiadienį", "9 valandą"],
  ),
  business(
    "kalbų mokykla",
    ["Tadas", "Šimkus"],
    [
      ["kada prasideda kursai", "1-a pamoka – sausio 9 d. 18:30."],
      ["kiek kainuoja kursai", "Kursai kainuoja 450 €, arba 75 €/mėn."],
      ["koks jūsų telefono numeris", "Mūsų numeris +370 41 500 300, esame 3-iame aukšte."],
    ],
    ["ketvirtadienį", "18 valandą"],
  ),
];

const LATVIAN: readonly Business[] = [
  business(
    "klīnika „Smaids”",
    ["Jānis", "Bērziņš"],
    [
      ["kad ir tuvākais brīvais laiks", "Tuvākais laiks ir 24. novembrī plkst. 10.00."],
      ["cik maksā apskate", "Apskate maksā 35,50 €."],
      ["kāds ir jūsu tālruņa numurs", "Mūsu numurs ir +371 2000 0000, strādājam P–Pk 9.00–17.00."],
    ],
    ["pirmdien", "10"],
  ),
  business(
    "SIA „Autora”",
    ["Ilze", "Kalniņa"],
    [
      ["kad mašīna būs gatava", "Mašīna būs gatava līdz 25. novembrim plkst. 16.00."],
      ["cik maksā eļļas maiņa", "Eļļas maiņa maksā 61 €."],
      ["kāds ir jūsu tālruņa numurs", "Zvaniet 67 123 456. Palīdzība uz ceļa ir 24/7."],
    ],
    ["otrdien", "9"],
  ),
  business(
    "salons „Rasa”",
    ["Mikus", "Baltais"],
    [
      ["kad jūs strādājat", "Strādājam no 9.00 līdz 19.00, sestdienās 10.00–14.00."],
      ["cik maksā frizūra", "Frizūra maksā 21 €, bērniem 15 €."],
      ["kāds ir jūsu tālruņa numurs", "Mūsu tālr. +371 6700 0000."],
    ],
    ["trešdien", "14"],
  ),
  business(
    "viesnīca „Ezers”",
    ["Kristīne", "Ozola"],
    [
      ["kad ir brokastis", "Brokastis ir no 7.00 līdz 10.30."],
      ["cik maksā istaba", "Istaba maksā 120 €, no 3 naktīm 10% lētāk."],
      ["kāds ir jūsu tālruņa numurs", "Mūsu numurs ir +371 6340 0000."],
    ],
    ["ceturtdien", "16"],
  ),
  business(
    "pilsētas bibliotēka",
    ["Dennis", "Berger"],
    [
      ["kad jāatdod grāmata", "Atdodiet grāmatu līdz 2026-12-01."],
      ["cik maksā kavējums", "Viena diena maksā 0,20 €, bet ne vairāk kā 10 €."],
      ["kāds ir jūsu tālruņa numurs", "Zvaniet 20001234."],
    ],
    ["piektdien", "11"],
  ),
  business(
    "veterinārā klīnika",
    ["Andrejs", "Liepiņš"],
    [
      ["kad ir vakcinācija", "Vakcinācija ir 2026. gada 2. decembrī plkst. 8.15."],
      ["cik maksā vakcinācija", "Vakcinācija maksā 22 €, ar čipu 45,90 €."],
      ["kāds ir jūsu tālruņa numurs", "Mūsu numurs ir +371 6330 1000."],
    ],
    ["pirmdien", "15"],
  ),
  business(
    "vecpilsētas teātris",
    ["Anna", "Krūmiņa"],
    [
      ["kad sākas izrāde", "Izrāde sākas plkst. 19.00 un ilgst 2 h."],
      ["cik maksā biļete", "Biļete maksā no 12 € līdz 30 €."],
      ["kāds ir jūsu tālruņa numurs", "Kases tālr. 67 000 111."],
    ],
    ["sestdien", "18"],
  ),
  business(
    "banka „Ziemeļi”",
    ["Pēteris", "Lācis"],
    [
      ["kad beidzas piedāvājums", "Piedāvājums ir spēkā līdz 2027. gada 31. janvārim."],
      ["kādi ir procenti", "Likme ir 3,5%, sākot no 1000 €."],
      ["kāds ir jūsu tālruņa numurs", "Mūsu numurs ir +371 6701 0000, strādājam 24/7."],
    ],
    ["otrdien", "12"],
  ),
  business(
    "aptieka „Saule”",
    ["Laura", "Vītola"],
    [
      ["kad būs pasūtījums", "Pasūtījums būs pēc 5–10 minūtēm."],
      ["cik maksā piegāde", "Piegāde maksā 2,99 €, no 40 € tā ir bez maksas."],
      ["kāds ir jūsu tālruņa numurs", "Zvaniet 2912 3456 vai rakstiet info@saule.lv."],
    ],
    ["trešdien", "9"],
  ),
  business(
    "valodu skola",
    ["Uldis", "Zariņš"],
    [
      ["kad sākas kursi", "1. nodarbība ir 9. janvārī plkst. 18.30."],
      ["cik maksā kursi", "Kursi maksā 450 €, vai 75 €/mēn."],
      ["kāds ir jūsu tālruņa numurs", "Mūsu numurs ir +371 6550 0300, esam 3. stāvā."],
    ],
    ["ceturtdien", "18"],
  ),
];

const RUSSIAN: readonly Business[] = [
  business(
    "клиника «Улыбка»",
    ["Анна", "Иванова"],
    [
      ["когда ближайшее свободное время", "Ближайшее время – 24 ноября в 10:00."],
      ["сколько стоит осмотр", "Осмотр стоит 35,50 €."],
      ["какой у вас номер телефона", "Наш номер +371 2000 0000, работаем пн–пт 9–17."],
    ],
    ["понедельник", "10"],
  ),
  business(
    "автосервис «Гавань»",
    ["Борис", "Смирнов"],
    [
      ["когда будет готова машина", "Машина будет готова к 25 ноября, после 16:00."],
      ["сколько стоит замена масла", "Замена масла стоит 61 €."],
      ["какой у вас номер телефона", "Звоните 67 123 456. Помощь на дороге – 24/7."],
    ],
    ["вторник", "9"],
  ),
  business(
    "салон «Роса»",
    ["Мария", "Попова"],
    [
      ["когда вы работаете", "Работаем с 9 до 19, в субботу 10:00–14:00."],
      ["сколько стоит стрижка", "Стрижка стоит 21 $, детская – 2 $ дешевле."],
      ["какой у вас номер телефона", "Наш тел. +371 6700 0000."],
    ],
    ["среда", "14"],
  ),
  business(
    "гостиница «Озеро»",
    ["Иван", "Петров"],
    [
      ["когда завтрак", "Завтрак с 7:00 до 10:30."],
      ["сколько стоит номер", "Номер стоит 120 €, от 3 ночей – на 10 % дешевле."],
      ["какой у вас номер телефона", "Наш номер +370 46 300 000."],
    ],
    ["четверг", "16"],
  ),
  business(
    "городская библиотека",
    ["Ольга", "Козлова"],
    [
      ["когда вернуть книгу", "Верните книгу до 2026-12-01."],
      ["сколько стоит просрочка", "Один день стоит 0,20 €, не более 10 €."],
      ["какой у вас номер телефона", "Звоните 86001234567."],
    ],
    ["пятница", "11"],
  ),
  business(
    "ветеринарная клиника",
    ["Пётр", "Волков"],
    [
      ["когда прививка", "Прививка 2 декабря 2026 г. в 8:15."],
      ["сколько стоит прививка", "Прививка стоит 22 €, с чипом – 45,90 €."],
      ["какой у вас номер телефона", "Наш номер +7 495 123-45-67."],
    ],
    ["понедельник", "15"],
  ),
  business(
    "театр старого города",
    ["Елена", "Орлова"],
    [
      ["когда начинается спектакль", "Спектакль начинается в 19:00 и длится 2 ч."],
      ["сколько стоит билет", "Билет стоит от 12 € до 30 €."],
      ["какой у вас номер телефона", "Телефон кассы +370 5 262 0000."],
    ],
    ["суббота", "18"],
  ),
  business(
    "банк «Север»",
    ["Денис", "Соколов"],
    [
      ["когда закончится предложение", "Предложение действует до 31 января 2027 г."],
      ["какая ставка", "Ставка 3,5 %, от 1000 €."],
      ["какой у вас номер телефона", "Наш номер +370 5 210 1111, 24/7."],
    ],
    ["вторник", "12"],
  ),
  business(
    "аптека «Солнце»",
    ["Наталья", "Морозова"],
    [
      ["когда будет заказ", "Заказ будет через 5–10 минут."],
      ["сколько стоит доставка", "Доставка стоит 2,99 €, от 40 € – бесплатно."],
      ["какой у вас номер телефона", "Звоните 8 800 555-01-00 или пишите info@sun.example."],
    ],
    ["среда", "9"],
  ),
  business(
    "школа языков",
    ["Олег", "Новиков"],
    [
      ["когда начинаются курсы", "1-е занятие – 9 января в 18:30."],
      ["сколько стоят курсы", "Курсы стоят 450 €, или 75 €/мес."],
      ["какой у вас номер телефона", "Наш номер +371 6550 0300, мы на 3-м этаже."],
    ],
    ["четверг", "18"],
  ),
];

export const BUSINESSES: Readonly<Record<AgentLanguage, readonly Business[]>> = {
  en: ENGLISH,
  lt: LITHUANIAN,
  lv: LATVIAN,
  ru: RUSSIAN,
};
