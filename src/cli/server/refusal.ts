/** What the fields of requests are called on the command line. Others are the option of the same name. */
const names: ReadonlyMap<string, string> = new Map([
  ['adapter_ids', '--adapter'],
  ['dataset_id', 'the data set'],
  ['expires_at', '--expires'],
  ['extra_arguments', 'the arguments after --'],
  ['file', 'the file'],
  ['folder', 'the folder'],
  ['model_id', 'the model'],
  ['question', 'the question'],
  ['scopes', '--scope'],
  ['sync_every', 'the interval'],
]);

/** Objects whose fields are options of their own. */
const groups = new Set(['limits', 'hyperparameters']);

interface Issue {
  loc?: unknown;
  msg?: unknown;
}

/** The error of the platform's answer in the words of the command line: options instead of JSON fields. */
export function inWords(detail: unknown, status: number): string {
  if (typeof detail === 'string') {
    return withOptions(
      detail.replace(/(^|; )body\.(\w+): /g, (_, before, field) => `${before}${optionOf(field)}: `),
    );
  }
  if (!Array.isArray(detail) || detail.length === 0) return `the platform answered ${status}`;
  return detail.map(issueInWords).join('; ');
}

function issueInWords({ loc, msg }: Issue): string {
  const [, ...path] = [loc].flat().map(String);
  const text = withOptions(plain(String(msg)));
  const [field, ...rest] = groups.has(path[0] ?? '') ? path.slice(1) : path;
  if (field === undefined) return text;
  const line = rest.find((part) => part.startsWith('line '));
  const place = [optionOf(field), line].filter(Boolean).join(', ');
  return `${place}: ${text}`;
}

const optionOf = (field: string) => names.get(field) ?? `--${field.replaceAll('_', '-')}`;

/** Replaces the fields that a message names. Fields that are also English words stay. */
const withOptions = (message: string) =>
  message
    .replace('with "replace": true', 'with --replace')
    .replace(
      /\b(?:adapter_ids|max_model_len|gpu_memory_utilization|tensor_parallel|extra_arguments)\b/g,
      optionOf,
    );

/** The platform words its messages as FastAPI does. */
const plain = (message: string) =>
  message
    .replace(/^Value error, /, '')
    .replace(/^(?:Input|String|List) should /, 'must ')
    .replace(/^Field required$/, 'is required')
    .replace(/ after validation$/, '');
