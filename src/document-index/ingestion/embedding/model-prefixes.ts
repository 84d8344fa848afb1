interface Prefixes {
  query: string;
  document: string;
}

const none: Prefixes = { query: '', document: '' };
const sentence = { query: 'Represent this sentence for searching relevant passages: ', document: '' };
const instruct = {
  query: 'Instruct: Given a question, retrieve passages that answer it\nQuery: ',
  document: '',
};
const search = { query: 'search_query: ', document: 'search_document: ' };

/** What models of known families expect in front of a text. The first pattern that matches the name counts. */
const families: readonly [RegExp, Prefixes][] = [
  [/e5-.*instruct|qwen3-embedding/, instruct],
  [/(^|[/_-])e5-(small|base|large)/, { query: 'query: ', document: 'passage: ' }],
  [/bge-m3|minilm/, none],
  [/bge-.*-en|arctic-embed|mxbai-embed/, sentence],
  [/nomic-embed|frida|ru-en-rosberta/, search],
  [/embeddinggemma/, { query: 'task: search result | query: ', document: 'title: none | text: ' }],
];

export interface EmbeddingForm {
  /** To be put in front of every text. */
  prefix: string;
  /** To be passed to `inference.embed`: a pod whose model is not in the list may know its own prefixes. */
  purpose: 'query' | 'document' | undefined;
}

/** How texts are sent to a model. The family of a model is recognised by its name. */
export function embeddingForm(model: string, purpose: 'query' | 'document'): EmbeddingForm {
  const name = model.toLowerCase();
  const known = families.find(([pattern]) => pattern.test(name))?.[1];
  return known ? { prefix: known[purpose], purpose: undefined } : { prefix: '', purpose };
}
