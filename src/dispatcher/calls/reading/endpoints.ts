import {
  type InferenceEndpoint,
  type InferencePath,
  inferenceEndpoints,
} from '../../../contracts/inference-endpoints.ts';
import {
  checkDocuments,
  checkMessages,
  checkTexts,
  checkTokens,
  checkTools,
  type ListCheck,
} from './lists.ts';

type Body = Record<string, unknown>;

interface CallRules {
  /** The checks of fields that may be arrays. A schema would take seconds for millions of items. */
  lists?: readonly (readonly [field: string, check: ListCheck])[];
  /** A hand-written check of everything but the lists; the schema decides about what it does not accept. */
  plainlyFits?: (body: Body) => boolean;
  /** `temperature` and `stream` get their defaults. */
  generates?: boolean;
  /** The key that precedes the prompt, where pods cache prompts. */
  promptKey?: string;
}

export interface Endpoint extends InferenceEndpoint, CallRules {}

const optionalBoolean = (value: unknown) => value == null || typeof value === 'boolean';
const optionalNumber = (value: unknown) => value == null || typeof value === 'number';
const optionalInteger = (value: unknown) => value == null || Number.isInteger(value);
const isName = (value: unknown) => typeof value === 'string' && value !== '';

const isTextOrList = (value: unknown) => typeof value === 'string' || Array.isArray(value);

function samplingFits(body: Body): boolean {
  return (
    isName(body.model) &&
    optionalBoolean(body.stream) &&
    optionalNumber(body.temperature) &&
    optionalInteger(body.max_tokens) &&
    (body.tool_choice == null || typeof body.tool_choice === 'string')
  );
}

const callRules = new Map<InferencePath, CallRules>([
  [
    '/v1/chat/completions',
    {
      lists: [
        ['messages', checkMessages],
        ['tools', checkTools],
      ],
      plainlyFits: (body) =>
        samplingFits(body) &&
        (body.tools == null || Array.isArray(body.tools)) &&
        Array.isArray(body.messages),
      generates: true,
      promptKey: '"messages"',
    },
  ],
  [
    '/v1/completions',
    {
      lists: [['prompt', checkTexts]],
      plainlyFits: (body) => samplingFits(body) && isTextOrList(body.prompt),
      generates: true,
      promptKey: '"prompt"',
    },
  ],
  [
    '/v1/embeddings',
    {
      lists: [['input', checkTexts]],
      plainlyFits: (body) =>
        isName(body.model) && isTextOrList(body.input) && body.encoding_format === undefined,
    },
  ],
  ['/v1/rerank', { lists: [['documents', checkDocuments]] }],
  ['/tokenize', { lists: [['messages', checkMessages]] }],
  ['/detokenize', { lists: [['tokens', checkTokens]] }],
]);

export const endpoints: readonly Endpoint[] = inferenceEndpoints.map((endpoint) => ({
  lists: undefined,
  plainlyFits: undefined,
  generates: false,
  promptKey: undefined,
  ...endpoint,
  ...callRules.get(endpoint.path),
}));
