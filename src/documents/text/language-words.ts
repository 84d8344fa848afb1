import type { LanguageWords } from './detect-language.ts';

const none = /(?!)/g;
const language = (words: string, letters: RegExp = none): LanguageWords => ({
  words: new Set(words.split(' ')),
  letters,
});

/** Frequent words, and letters that tell. Earlier languages win a tie. */
export const latinWords: ReadonlyMap<string, LanguageWords> = new Map([
  [
    'eng',
    language(
      'the of and to in is that it was for on are with as be this have from or by not but what all were when we there can an your which their said if will each about how up out then she he you at his her they has its into more other do no my than who been would our',
    ),
  ],
  [
    'deu',
    language(
      'der die und das den von zu ist mit sich des auf für nicht dem ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde',
      /[ß]/g,
    ),
  ],
  [
    'fra',
    language(
      "de la le et les des en un du une que est pour qui dans par plus au ne sur avec sont il ce pas se aux ou mais leur nous vous cette ses été d'un l'on être elle comme fait ont",
      /[œçèùêî]/g,
    ),
  ],
  [
    'spa',
    language(
      'de la que el en y los del se las por un para con no una su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante',
      /[ñ¿¡]/g,
    ),
  ],
  [
    'ita',
    language(
      'di che la il un a per non una sono della con del si da le dei nel alla più ha come anche gli delle al dal questo ma è lo i suo essere stato nella degli dalla',
      /[ìò]/g,
    ),
  ],
  [
    'por',
    language(
      'de que e o a do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso são',
      /[ãõ]/g,
    ),
  ],
  [
    'nld',
    language(
      'de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij door naar uit wordt over deze hebben nog of tot heeft werd worden kan wel geen',
    ),
  ],
  [
    'pol',
    language(
      'i w z na do się nie jest że to o od po za jak ale dla przez co są był tak oraz przy ze jego może tego być które',
      /[łśżźąęń]/g,
    ),
  ],
  [
    'ces',
    language(
      'a se v na je že s z do o to i jsou pro jako za by ale po která které jeho nebo bylo od při až také mezi než',
      /[ěřů]/g,
    ),
  ],
  [
    'slk',
    language(
      'a sa v na je že s z do o to aj sú pre ako za by ale po ktorá ktoré jeho alebo bolo od pri až tiež medzi než',
      /[ľĺŕô]/g,
    ),
  ],
  [
    'hun',
    language(
      'a az és hogy nem is egy van ez volt meg csak mint már de vagy ki el még után nagy kell lehet',
      /[őű]/g,
    ),
  ],
  [
    'ron',
    language(
      'de și în la a cu o care nu pe din un este pentru mai se că au fost sau ca sunt prin dar lui',
      /[șțşţă]/g,
    ),
  ],
  [
    'tur',
    language(
      've bir bu da de için ile olarak çok daha olan gibi ne var kadar sonra en ama olduğu değil ise',
      /[ğışİ]/g,
    ),
  ],
  [
    'swe',
    language(
      'och i att det som en på är av för med den till inte har de ett om var jag men från så kan när man',
      /[å]/g,
    ),
  ],
  [
    'dan',
    language(
      'og i at det er en til på af for der med den som ikke har de et om var jeg men fra så kan når man blev også',
      /[æø]/g,
    ),
  ],
  [
    'nob',
    language(
      'og i det er en til på av for som med den at ikke har de et om var jeg men fra så kan når man ble også',
      /[æø]/g,
    ),
  ],
  [
    'fin',
    language('ja on ei se että oli hän mutta ovat myös kun tai joka sen niin kuin ole vain jos sekä mukaan'),
  ],
  ['est', language('ja on ei see et oli ta aga ka kui või mis ning oma selle olid kes seda nii', /[õ]/g)],
  ['lav', language('un ir no ar par kas uz tika bija kā vai pie bet to arī līdz pēc', /[āēīūģķļņ]/g)],
  ['lit', language('ir yra kad iš su į tai buvo kaip ar nuo bet jo dėl po taip apie', /[ėįųū]/g)],
  ['hrv', language('i je u na se da su za od s o koji ne što bi kao iz biti ili te po ali bio', /[đ]/g)],
  ['slv', language('in je v na se da so za od s o ki ne kot iz biti ali tudi po pri bil lahko')],
  [
    'vie',
    language(
      'và của là có được trong cho không một các với người này đã những khi',
      /[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/g,
    ),
  ],
  [
    'ind',
    language(
      'yang dan di dari untuk dengan pada ini itu adalah dalam tidak akan oleh sebagai juga atau karena telah ke',
    ),
  ],
  [
    'cat',
    language("el la de i que a en un una per amb no és els les del al més com seva van d'un l'any", /[·]/g),
  ],
  ['aze', language('və bir bu ilə üçün olan da də', /[ə]/g)],
  ['uzb', language("va bu bilan uchun bir ham o'zbekiston emas edi")],
]);

export const cyrillicWords: ReadonlyMap<string, LanguageWords> = new Map([
  [
    'rus',
    language(
      'и в не на что с по как это из у за от так о же к для все бы то или его её но они мы был была было быть при если до также который которые об этом год года со только может их',
      /[ыэъ]/g,
    ),
  ],
  [
    'ukr',
    language(
      'і в не на що з та до як це за у від про для його але або який також був було бути при є так вони ми цей',
      /[іїєґ]/g,
    ),
  ],
  [
    'bel',
    language(
      'і ў не на што з да як гэта за у ад пра для яго але або які таксама быў было быць пры ён яны',
      /[ўі]/g,
    ),
  ],
  [
    'bul',
    language('и на да се от за в не е с по че като са до това който или си при но към има беше със както'),
  ],
  [
    'srp',
    language('и је у на се да су за од са о који не што би као из бити или те по али био', /[ђћљњџј]/g),
  ],
  ['mkd', language('и на да се од за во не е со по дека како се до што или при но кон има беше', /[ѓќѕ]/g)],
  ['kaz', language('және бұл мен үшін бір да де бар болып деп еді', /[әғқңөұүһі]/g)],
  ['kir', language('жана бул менен үчүн бир да эле болгон', /[ңөү]/g)],
  ['tgk', language('ва дар ба аз ки ин бо барои аст', /[ғӣқӯҳҷ]/g)],
  ['mon', language('нь байна юм болон энэ ба бол байсан', /[өү]/g)],
  ['tat', language('һәм бу белән өчен бер да дә', /[әөүҗңһ]/g)],
]);
