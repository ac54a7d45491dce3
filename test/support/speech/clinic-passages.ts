/**
 * A dental clinic's knowledge in the four languages, and questions about it. The first passage of
 * each question is the correct answer. Change neither: test/features/knowledge/index/result-lists.test.ts
 * contains complete result lists.
 */

export const CLINIC_FILES = {
  en: `## Opening hours
We are open from Monday to Friday, from eight in the morning to seven in the evening. On Saturday from nine to two.

## Address
The clinic is at 12 Garden Street, second floor, next to the central station.

## Parking
Two places behind the house are free for patients. In the street parking is paid until six.

## Check-up
A check-up costs 40 EUR and takes half an hour. The dentist looks at teeth and gums.

## Hygiene
Professional hygiene costs 65 EUR: tartar is removed and the teeth are polished.

## Whitening
Whitening at the clinic costs 190 EUR. A set for home costs 120 EUR.

## Fillings
A filling costs from 60 to 110 EUR. It lasts five years at least.

## Implants
An implant with a crown costs from 1,100 EUR. It can be paid in twelve parts.

## Children
We treat children from the age of three. A child's first visit is free.

## Emergencies
With strong pain call us in the morning: each day two hours are kept for emergencies.

## Cancelling a visit
A visit can be cancelled or moved free of charge until noon of the day before.

## Payment
We take cash, cards and bank transfers. Insurance companies pay us directly.
`,
  lt: `## Darbo laikas
Dirbame nuo pirmadienio iki penktadienio, nuo aštuntos iki devynioliktos. Šeštadienį nuo devintos iki keturioliktos.

## Adresas
Klinika yra Sodų gatvėje 12, antrame aukšte, šalia centrinės stoties.

## Automobilio stovėjimas
Už namo yra dvi nemokamos vietos pacientams. Gatvėje stovėjimas mokamas iki šeštos valandos.

## Apžiūra
Apžiūra kainuoja 40 EUR ir trunka pusvalandį. Gydytojas apžiūri dantis ir dantenas.

## Burnos higiena
Profesionali higiena kainuoja 65 EUR: pašalinami akmenys, dantys nupoliruojami.

## Dantų balinimas
Balinimas klinikoje kainuoja 190 EUR. Rinkinys namams kainuoja 120 EUR.

## Plombos
Plomba kainuoja nuo 60 iki 110 EUR. Ji laikosi bent penkerius metus.

## Implantai
Implantas su vainikėliu kainuoja nuo 1100 EUR. Galima mokėti dvylika dalių.

## Vaikai
Vaikus gydome nuo trejų metų. Pirmas vaiko vizitas nemokamas.

## Skubi pagalba
Jei labai skauda, skambinkite ryte: kasdien skubiems pacientams paliekame dvi valandas.

## Vizito atšaukimas
Vizitą galima nemokamai atšaukti arba perkelti iki vidurdienio dieną prieš.

## Atsiskaitymas
Priimame grynuosius, korteles ir pavedimus. Draudimo bendrovės mums sumoka tiesiogiai.
`,
  lv: `## Darba laiks
Strādājam no pirmdienas līdz piektdienai, no astoņiem rītā līdz septiņiem vakarā. Sestdien no deviņiem līdz diviem.

## Adrese
Klīnika atrodas Dārza ielā 12, otrajā stāvā, blakus centrālajai stacijai.

## Autostāvvieta
Aiz mājas pacientiem ir divas bezmaksas vietas. Ielā stāvvieta ir par maksu līdz sešiem.

## Apskate
Apskate maksā 40 EUR un ilgst pusstundu. Zobārsts apskata zobus un smaganas.

## Mutes higiēna
Profesionāla higiēna maksā 65 EUR: tiek noņemts zobakmens un zobi nopulēti.

## Zobu balināšana
Balināšana klīnikā maksā 190 EUR. Komplekts mājām maksā 120 EUR.

## Plombes
Plombe maksā no 60 līdz 110 EUR. Tā kalpo vismaz piecus gadus.

## Implanti
Implants ar kroni maksā no 1100 EUR. Var maksāt divpadsmit daļās.

## Bērni
Bērnus ārstējam no trīs gadu vecuma. Bērna pirmais apmeklējums ir bez maksas.

## Neatliekamā palīdzība
Ja stipri sāp, zvaniet no rīta: katru dienu divas stundas paturam steidzamiem gadījumiem.

## Vizītes atcelšana
Vizīti bez maksas var atcelt vai pārcelt līdz iepriekšējās dienas pusdienlaikam.

## Apmaksa
Pieņemam skaidru naudu, kartes un pārskaitījumus. Apdrošinātāji mums maksā tieši.
`,
  ru: `## Часы работы
Мы работаем с понедельника по пятницу, с восьми утра до семи вечера. В субботу с девяти до двух.

## Адрес
Клиника находится на улице Садовой, 12, на втором этаже, рядом с центральным вокзалом.

## Парковка
За домом есть два бесплатных места для пациентов. На улице парковка платная до шести.

## Осмотр
Осмотр стоит 40 EUR и длится полчаса. Врач осматривает зубы и дёсны.

## Гигиена полости рта
Профессиональная гигиена стоит 65 EUR: удаляется камень, зубы полируются.

## Отбеливание зубов
Отбеливание в клинике стоит 190 EUR. Набор для дома стоит 120 EUR.

## Пломбы
Пломба стоит от 60 до 110 EUR. Она держится не меньше пяти лет.

## Импланты
Имплант с коронкой стоит от 1100 EUR. Можно платить двенадцатью частями.

## Дети
Детей лечим с трёх лет. Первый визит ребёнка бесплатный.

## Неотложная помощь
При сильной боли звоните утром: каждый день два часа оставлены для срочных пациентов.

## Отмена визита
Визит можно бесплатно отменить или перенести до полудня предыдущего дня.

## Оплата
Принимаем наличные, карты и переводы. Страховые компании платят нам напрямую.
`,
} as const;

export type ClinicLanguage = keyof typeof CLINIC_FILES;

/**
 * Questions as callers ask them: other word endings, a typing error, and one without any word of
 * its answer.
 */
export const CLINIC_QUESTIONS: Readonly<Record<ClinicLanguage, readonly string[]>> = {
  en: [
    "What are your hours on Saturdays?",
    "Where can I park my car?",
    "How much does a check-up cost?",
    "What is the price of teeth whitening?",
    "Do you treat my child of four?",
    "How much are two fillings?",
    "Can I pay by card or by insurance?",
    "I want to cancel my visit",
    "Do you do profesional hygenne?",
    "My tooth hurts terribly",
  ],
  lt: [
    "Ar dirbate šeštadieniais?",
    "Kur galiu pastatyti automobilį?",
    "Kiek kainuoja apžiūros?",
    "Kiek kainuotų dantų balinimą namuose?",
    "Ar gydote keturmetį vaiką?",
    "Kokia plombų kaina?",
    "Ar galiu mokėti kortele?",
    "Noriu atšaukti vizitą",
    "Ar darote profesonalią higijeną?",
    "Man baisiai gelia",
  ],
  lv: [
    "Vai jūs strādājat sestdienās?",
    "Kur var novietot auto, vai ir autostāvvietas?",
    "Cik maksā apskates?",
    "Cik maksātu zobu balināšanu?",
    "Vai ārstējat četrgadīgu bērnu?",
    "Cik maksā divas plombas?",
    "Vai varu maksāt ar karti?",
    "Gribu atcelt vizīti",
    "Vai jums ir profesionnāla higijēna?",
    "Man briesmīgi smeldz",
  ],
  ru: [
    "Вы работаете по субботам?",
    "Где можно припарковать машину, есть парковки?",
    "Сколько стоит осмотра?",
    "Сколько стоило бы отбеливания зубов?",
    "Вы лечите ребёнка четырёх лет?",
    "Какая цена двух пломб?",
    "Можно платить картой?",
    "Хочу отменить визиты",
    "Есть ли професиональная гигеена?",
    "Ужасно ноет",
  ],
};
