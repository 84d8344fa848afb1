import type { SourceFile } from './source-file.ts';

/** Files that make a regular expression from a text, and why that text can't make it slow. */
const harmlessPatterns = new Map([
  [
    'src/pod/engines/llama-server/command-line.ts',
    'every character that is not a letter or digit is replaced',
  ],
  ['src/pod/engines/llamacpp/grammar/pattern.ts', 'it is parsed, and never run'],
  ['src/pod/engines/llamacpp/prompt/disguise.ts', 'every special character is escaped'],
  ['src/pod/engines/llamacpp/prompt/tokenize-text.ts', 'every special character is escaped'],
]);

/** Folders that talk to servers of others. */
const outside = [
  'src/models/hub/',
  'src/models/packages/',
  'src/models/files/',
  'src/platform/outgoing/',
  'src/document-index/sources/',
];
/** What a caller of ours is told about a request of its own. */
const ours = new Set(['Unauthenticated', 'Forbidden', 'NotFound', 'RateLimited']);
const bodyReaders = ['src/models/files/http/read-answer.ts', 'src/models/files/http/close-answer.ts'];

/** What comes from outside must not stop, fill or mislead the platform. */
export function foreignInput(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, makesPatterns, readsBodies, problems }) => [
    ...(makesPatterns && !harmlessPatterns.has(path)
      ? [`${path} makes a regular expression from a text: match it as text, or in a thread with a time limit`]
      : []),
    ...(readsBodies && path.startsWith('src/models/') && !bodyReaders.includes(path)
      ? [`${path} reads the body of an answer without a limit: use read-answer.ts`]
      : []),
    ...(outside.some((folder) => path.startsWith(folder)) ? problems : [])
      .filter((name) => ours.has(name))
      .map((name) => `${path} uses ${name}: another server's refusal is an UpstreamFailed of ours`),
  ]);
}
