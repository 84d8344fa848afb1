import { randomBytes } from 'node:crypto';
import { endianness } from 'node:os';
import type { EmbeddingRequest, EmbeddingResponse } from '../../contracts/openai/embeddings.ts';
import type { EmbeddingOptions, Embeddings } from '../engine.ts';

export function embeddingAnswer(request: EmbeddingRequest, result: Embeddings): EmbeddingResponse {
  const encode = request.encoding_format === 'base64' ? base64 : (vector: Float32Array) => Array.from(vector);
  return {
    id: `embd-${randomBytes(12).toString('hex')}`,
    object: 'list',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    data: result.vectors.map((vector, index) => ({ index, object: 'embedding', embedding: encode(vector) })),
    usage: { prompt_tokens: result.promptTokens, total_tokens: result.promptTokens, completion_tokens: 0 },
  };
}

/** Encodes little-endian 32-bit floats, the format that OpenAI clients expect. */
function base64(vector: Float32Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return (endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()).toString('base64');
}

/** The purpose of the text, from the fields of other servers: `input_type` (NVIDIA, Cohere) or `prompt_name`. */
export function purposeOf(request: EmbeddingRequest): Pick<EmbeddingOptions, 'purpose'> {
  const purpose = String(request.input_type ?? request.prompt_name ?? '');
  if (/query/.test(purpose)) return { purpose: 'query' };
  return /document|passage/.test(purpose) ? { purpose: 'document' } : {};
}
