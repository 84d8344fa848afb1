import { randomBytes } from 'node:crypto';

/** The fields that every response and every chunk begins with. */
export interface AnswerHead {
  id: string;
  created: number;
  model: string;
  system_fingerprint: string;
}

export function answerHead(prefix: string, model: string, fingerprint: string): AnswerHead {
  return {
    id: `${prefix}-${randomBytes(12).toString('hex')}`,
    created: Math.floor(Date.now() / 1000),
    model,
    system_fingerprint: fingerprint,
  };
}

export const toolCallId = () => `call_${randomBytes(12).toString('hex')}`;
