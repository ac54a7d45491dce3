/** First names the English recogniser knows when it asks for a name: common ones here and abroad. */
export const FIRST_NAMES: readonly string[] =
  "james john robert michael william david richard joseph thomas charles daniel matthew anthony mark paul steven andrew kevin brian george peter alex adam martin simon patrick henry jack oliver harry lucas max leo ben sam tom nick mary patricia jennifer linda elizabeth barbara susan jessica sarah karen nancy lisa margaret sandra ashley emily donna michelle carol amanda melissa laura rebecca anna emma olivia sophia julia maria helen kate jane alice victoria natalia olga irina elena tatiana svetlana ivan sergey dmitry alexander vladimir igor oleg nikolai pavel andrei jonas petras tomas mantas lukas andrius darius saulius vytautas kestutis rasa egle ruta daiva jurga inga asta lina monika janis juris andris peteris martins edgars liga ilze zane kristine laima".split(
    " ",
  );
