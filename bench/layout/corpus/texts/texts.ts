/** The words of one language, from which documents are made. Sentences have slots such as `{n}` for numbers. */
export interface Texts {
  language: 'eng' | 'rus';
  titles: string[];
  headings: string[];
  subheadings: string[];
  sentences: string[];
  items: string[];
  subitems: string[];
  clauses: string[];
  footnotes: string[];
  captions: string[];
  places: string[];
  people: string[];
  roles: string[];
  goods: string[];
  columns: {
    place: string;
    total: string;
    quarters: string[];
    half: string[];
    person: string;
    role: string;
    since: string;
    goods: string;
    price: string;
    count: string;
    note: string;
  };
  notes: string[];
  running: { header: string; footer: string };
  table: string;
  figure: string;
  chapter: string;
  code: string[];
}
