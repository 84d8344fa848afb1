const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The English name of a language, for a prompt; undefined where it is unknown. */
export function languageName(code: string): string | undefined {
  try {
    return code === 'und' ? undefined : names.of(code);
  } catch {
    return undefined;
  }
}

interface Phrases {
  notFound: string;
  /** A question about a section of a document. */
  about(heading: string): string;
}

const english: Phrases = {
  notFound: 'The documents of this assistant do not contain an answer to this question.',
  about: (heading) => `What do the documents say about “${heading}”?`,
};

const phrases = new Map<string, Phrases>([
  ['eng', english],
  [
    'rus',
    {
      notFound: 'В документах этого ассистента нет ответа на этот вопрос.',
      about: (heading) => `Что сказано в документах в разделе «${heading}»?`,
    },
  ],
  [
    'ukr',
    {
      notFound: 'У документах цього асистента немає відповіді на це запитання.',
      about: (heading) => `Що сказано в документах у розділі «${heading}»?`,
    },
  ],
  [
    'deu',
    {
      notFound: 'Die Dokumente dieses Assistenten enthalten keine Antwort auf diese Frage.',
      about: (heading) => `Was steht in den Dokumenten über „${heading}“?`,
    },
  ],
  [
    'fra',
    {
      notFound: 'Les documents de cet assistant ne contiennent pas de réponse à cette question.',
      about: (heading) => `Que disent les documents sur « ${heading} » ?`,
    },
  ],
  [
    'spa',
    {
      notFound: 'Los documentos de este asistente no contienen una respuesta a esta pregunta.',
      about: (heading) => `¿Qué dicen los documentos sobre «${heading}»?`,
    },
  ],
  [
    'ita',
    {
      notFound: 'I documenti di questo assistente non contengono una risposta a questa domanda.',
      about: (heading) => `Che cosa dicono i documenti su «${heading}»?`,
    },
  ],
  [
    'por',
    {
      notFound: 'Os documentos deste assistente não contêm uma resposta a esta pergunta.',
      about: (heading) => `O que dizem os documentos sobre «${heading}»?`,
    },
  ],
  [
    'pol',
    {
      notFound: 'Dokumenty tego asystenta nie zawierają odpowiedzi na to pytanie.',
      about: (heading) => `Co mówią dokumenty na temat „${heading}”?`,
    },
  ],
  [
    'tur',
    {
      notFound: 'Bu asistanın belgelerinde bu sorunun yanıtı yok.',
      about: (heading) => `Belgelerde “${heading}” hakkında ne yazıyor?`,
    },
  ],
  [
    'zho',
    {
      notFound: '该助手的文档中没有这个问题的答案。',
      about: (heading) => `文档中关于“${heading}”是怎么说的？`,
    },
  ],
  [
    'cmn',
    {
      notFound: '该助手的文档中没有这个问题的答案。',
      about: (heading) => `文档中关于“${heading}”是怎么说的？`,
    },
  ],
  [
    'jpn',
    {
      notFound: 'このアシスタントの文書には、この質問への答えがありません。',
      about: (heading) => `文書では「${heading}」について何と書かれていますか？`,
    },
  ],
]);

/** Fixed texts in the language of a question, or in English. */
export const phrasesIn = (language: string): Phrases => phrases.get(language) ?? english;
