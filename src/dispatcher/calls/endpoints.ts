import {
  type InferenceEndpoint,
  type InferencePath,
  inferenceEndpoints,
} from '../../contracts/inference-endpoints.ts';

type Body = Record<string, unknown>;

interface CallRules {
  /** A hand-written check that accepts nearly every valid request; the schema decides about the rest. */
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
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

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
      plainlyFits: (body) =>
        samplingFits(body) &&
        body.tools == null &&
        Array.isArray(body.messages) &&
        body.messages.every(isObject),
      generates: true,
      promptKey: '"messages"',
    },
  ],
  [
    '/v1/completions',
    {
      plainlyFits: (body) => samplingFits(body) && typeof body.prompt === 'string',
      generates: true,
      promptKey: '"prompt"',
    },
  ],
  [
    '/v1/embeddings',
    {
      plainlyFits: (body) =>
        isName(body.model) && typeof body.input === 'string' && body.encoding_format === undefined,
    },
  ],
]);

export const endpoints: readonly Endpoint[] = inferenceEndpoints.map((endpoint) => ({
  plainlyFits: undefined,
  generates: false,
  promptKey: undefined,
  ...endpoint,
  ...callRules.get(endpoint.path),
}));
